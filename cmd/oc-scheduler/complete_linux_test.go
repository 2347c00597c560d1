package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
		{[]string{"completion", ""}, "bash zsh fish"},
		{[]string{"run", "n1", "--", "s"}, ""},
		{[]string{"nothing", "like", ""}, ""},
		{nil, ""},
	} {
		got := s.ask(t, completing, tc.words...)
		if words := strings.Fields(got.stdout); got.code != exitOK || got.stderr != "" || tc.words != nil && strings.Join(words, " ") != tc.want {
			t.Errorf("%q: %+v, want %s", tc.words, got, tc.want)
		}
	}
	if got := invoke(t, nil, completing, "check", "--server", s.url, "w"); got.stdout != "wf\n" {
		t.Errorf("past what was typed: %+v", got)
	}
	if got := invoke(t, nil, completing, "check", "--server", "127.0.0.1:1", ""); got != (outcome{}) {
		t.Errorf("without a replica: %+v", got)
	}
}

// TestCompletionInBash has bash itself complete a command line, with the program as others have it.
func TestCompletionInBash(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here to try it")
	}
	dir := t.TempDir()
	fake := "#!/bin/sh\n[ \"$1\" = __complete ] && shift && printf '%s\\n' \"$@\" > " + dir + "/asked && printf 'peer a\\npeer-b\\n'\n"
	if err := os.WriteFile(filepath.Join(dir, "oc-scheduler"), []byte(fake), 0o700); err != nil {
		t.Fatal(err)
	}
	script := invoke(t, nil, "completion", "bash").stdout +
		`COMP_WORDS=(` + filepath.Join(dir, "oc-scheduler") + ` planners show p); COMP_CWORD=3; _oc_scheduler; printf '<%s>' "${COMPREPLY[@]}"`
	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), bash, "--norc", "-c", script)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil || out.String() != "<peer a><peer-b>" {
		t.Errorf("%v: %s", err, out.String())
	}
	if got := strings.Fields(read(t, filepath.Join(dir, "asked"))); !slices.Equal(got, []string{"planners", "show", "p"}) {
		t.Errorf("asked for %q", got)
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
