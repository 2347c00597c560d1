package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCompletion: commands, flags, values, and ids from the replica.
func TestCompletion(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	for _, tc := range []struct {
		words []string
		want  string // all that there are
	}{
		{[]string{"wor"}, "workflows"},
		{[]string{"workflows", ""}, "list show put remove"},
		{[]string{"workflows", "show", ""}, "nobody quick wf"},
		{[]string{"check", "q"}, "quick"},
		{[]string{"schedule", "wf", ""}, ""},
		{[]string{"schedules", "--workflow", ""}, "nobody quick wf"},
		{[]string{"planners", "p"}, "peer-a"},
		{[]string{"planners", "show", "-o", "json", ""}, "peer-a"},
		{[]string{"check", "wf", "--dur"}, "--duration"},
		{[]string{"check", "wf", "-o", ""}, "table json yaml name"},
		{[]string{"check", "wf", "--output", "=", "y"}, "yaml"},
		{[]string{"check", "wf", "--output=y"}, "--output=yaml"},
		{[]string{"schedules", "--workflow=q"}, "--workflow=quick"},
		{[]string{"schedules", "--nothing=q"}, ""},
		{[]string{"completion", ""}, "bash zsh fish"},
		{[]string{"run", "n1", "--", "s"}, ""},
		{[]string{"nothing", "like", ""}, ""},
		{nil, ""},
	} {
		got := patiently(tc.want, func() outcome { return s.ask(t, completing, tc.words...) })
		if words := strings.Fields(got.stdout); got.code != exitOK || got.stderr != "" || tc.words != nil && strings.Join(words, " ") != tc.want {
			t.Errorf("%q: %+v, want %s", tc.words, got, tc.want)
		}
	}
	got := patiently("wf", func() outcome { return invoke(t, nil, completing, "check", "--server", s.url, "w") })
	if got.stdout != "wf\n" {
		t.Errorf("past what was typed: %+v", got)
	}
	if got := invoke(t, nil, completing, "check", "--server", "127.0.0.1:1", ""); got != (outcome{}) {
		t.Errorf("without a replica: %+v", got)
	}
}

// patiently asks again when nothing came of what is wanted: a busy machine may not answer within two seconds.
func patiently(want string, ask func() outcome) outcome {
	for begin := time.Now(); ; {
		if got := ask(); want == "" || got.stdout != "" || time.Since(begin) > patience {
			return got
		}
	}
}

// TestEachArgumentIsCompleted that names what a replica, or the file of contexts, can list.
func TestEachArgumentIsCompleted(t *testing.T) {
	t.Parallel()
	for _, leaf := range leaves(t) {
		for _, arg := range leaf.Positional {
			if arg.Tag.Type == "ident" && lists[arg.Name] == nil && arg.Name != "hold" && arg.Name != "name" {
				t.Errorf("%s: nobody lists what %s may be", pathOf(leaf), arg.Name)
			}
		}
	}
}

// shells complete "oc-scheduler planners show p", each by what stands before and behind what the program prints for it.
var shells = map[string]struct {
	flags         []string
	before, after string
}{
	"bash": {[]string{"--norc", "-c"}, "", `COMP_WORDS=(oc-scheduler planners show p); COMP_CWORD=3; _oc_scheduler; printf '%s\n' "${COMPREPLY[@]}"`},
	"zsh":  {[]string{"-f", "-c"}, "compdef() { :; }\n", `words=(oc-scheduler planners show p); CURRENT=4; compadd() { print -rl -- "${(@P)2}" }; _oc_scheduler`},
	"fish": {[]string{"-N", "-c"}, "", `complete -C 'oc-scheduler planners show p'`},
}

// TestCompletionInShells has shells themselves complete a command line, with the program as others have it.
func TestCompletionInShells(t *testing.T) {
	t.Parallel()
	for name, in := range shells {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shell, err := exec.LookPath(name)
			if err != nil {
				t.Skipf("there is no %s here to try it", name)
			}
			dir := t.TempDir()
			fake := "#!/bin/sh\n[ \"$1\" = __complete ] && shift && printf '%s\\n' \"$@\" > " + dir + "/asked && printf 'peer a\\npeer-b\\n'\n"
			if err := os.WriteFile(filepath.Join(dir, "oc-scheduler"), []byte(fake), 0o700); err != nil {
				t.Fatal(err)
			}
			script := in.before + invoke(t, nil, "completion", name).stdout + in.after
			var out bytes.Buffer
			cmd := exec.CommandContext(t.Context(), shell, append(in.flags, script)...)
			cmd.Env = []string{"PATH=" + dir + ":" + os.Getenv("PATH"), "HOME=" + dir, "TERM=dumb"}
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Run(); err != nil || strings.Replace(out.String(), `\ `, " ", 1) != "peer a\npeer-b\n" {
				t.Errorf("%v: %s", err, out.String())
			}
			if got := strings.Fields(read(t, filepath.Join(dir, "asked"))); !slices.Equal(got, []string{"planners", "show", "p"}) {
				t.Errorf("asked for %q", got)
			}
		})
	}
}

// TestManual: the page has each command and its flags, and roff finds no fault with it.
func TestManual(t *testing.T) {
	t.Parallel()
	page := invoke(t, nil, "man").stdout
	for _, leaf := range leaves(t) {
		if path := strings.TrimSuffix(pathOf(leaf), " list"); !leaf.Hidden && !strings.Contains(page, "\n.SS "+roff(path)) {
			t.Errorf("%s is not in it", path)
		}
	}
	for _, words := range []string{`\-\-follow`, "\n.B 125\n", `oc\-scheduler check demo\-align`, "OC_SERVER"} {
		if !strings.Contains(page, words) {
			t.Errorf("it lacks %s", words)
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("there is no groff here to read it")
	}
	cmd := exec.CommandContext(t.Context(), groff, "-man", "-Tutf8", "-ww", "-z")
	cmd.Stdin = strings.NewReader(page)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}
