package execute_test

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/internal/peer/execute"
)

func TestRunsAProgram(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var stdout, stderr output
	code, err := f.Run(t.Context(), shell(`pwd; echo "$@"; echo oops >&2; touch made; exit 3`, "a b", "$HOME"), &stdout, &stderr)
	if err != nil || code != 3 {
		t.Fatalf("code %d, error %v", code, err)
	}
	dir := filepath.Join(f.dir, "x=2F1")
	if want := dir + "\na b $HOME\n"; stdout.String() != want || stderr.String() != "oops\n" {
		t.Errorf("stdout %q, stderr %q; want %q", stdout.String(), stderr.String(), want)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("directory is left: %v", err)
	}
}

func TestEnvironmentIsClean(t *testing.T) {
	t.Setenv("OC_TEST_SECRET", "s3cret")
	t.Setenv("OC_TEST_PASSED", "node's")
	f := newFixture(t, func(c *execute.Config) { c.Environment = []string{"OC_TEST_PASSED", "OC_TEST_GIVEN"} })
	var stdout output
	code, err := f.Run(t.Context(), execute.Task{ID: "e", Command: []string{"env"}, Env: map[string]string{"OC_TEST_GIVEN": "a\nb"}}, &stdout, io.Discard)
	if err != nil || code != 0 {
		t.Fatal(code, err)
	}
	dir := filepath.Join(f.dir, "e")
	want := "HOME=" + dir + "\nOC_EXECUTION_ID=e\nOC_TEST_GIVEN=a\nb\nOC_TEST_PASSED=node's\n" +
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\nTMPDIR=" + dir + "\n"
	if got := stdout.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRefusesWhatIsNotListed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, task := range map[string]execute.Task{
		"nothing":                  {},
		"empty":                    {Command: []string{""}},
		"other":                    {Command: []string{"ls"}},
		"path of a listed name":    {Command: []string{"/bin/sh"}},
		"name of a listed path":    {Command: []string{"cat"}},
		"way round":                {Command: []string{"/bin/../bin/cat"}},
		"double slash":             {Command: []string{"//bin/cat"}},
		"relative":                 {Command: []string{"./sh"}},
		"directory of the command": {Command: []string{"/bin"}},
		"trailing space":           {Command: []string{"sh "}},
		"trailing zero":            {Command: []string{"sh\x00"}},
		"zero in an argument":      {Command: []string{"sh", "-c", "ls\x00"}},
		"limiter":                  {Command: []string{"oc-scheduler-limiter", "{}", "/bin/ls", "ls"}},
		"loader":                   {Command: []string{"sh"}, Env: map[string]string{"LD_PRELOAD": "/tmp/x.so"}},
		"path":                     {Command: []string{"sh"}, Env: map[string]string{"PATH": "/tmp"}},
		"home":                     {Command: []string{"sh"}, Env: map[string]string{"HOME": "/tmp"}},
		"trick":                    {Command: []string{"sh"}, Env: map[string]string{"A=1\x00LD_PRELOAD": "x"}},
		"many arguments":           {Command: append([]string{"sh"}, make([]string, 5000)...)},
		"long argument":            {Command: []string{"sh", strings.Repeat("x", 2<<20)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task.ID = name
			if err := f.Check(task); err == nil {
				t.Error("Check allows it")
			}
			var out output
			if code, err := f.Run(t.Context(), task, &out, &out); err == nil {
				t.Errorf("it ran: code %d, output %s", code, out.String())
			}
		})
	}
}

func TestALinkIsFollowedOnce(t *testing.T) {
	t.Parallel()
	link := filepath.Join(t.TempDir(), "tool")
	if err := os.Symlink("/bin/cat", link); err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, func(c *execute.Config) { c.Commands = []string{link} })
	if err := errors.Join(os.Remove(link), os.Symlink("/bin/sh", link)); err != nil {
		t.Fatal(err)
	}
	var out output
	code, err := f.Run(t.Context(), execute.Task{ID: "l", Command: []string{link, "/proc/self/comm"}}, &out, &out)
	if err != nil || code != 0 || out.String() != "cat\n" {
		t.Errorf("code %d, error %v, output %q", code, err, out.String())
	}
}

func TestBadListsAreFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte("#!/bin/sh\n"), 0o600), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	commands := []string{
		"no-such-command", "/no/such/file", "bin/sh", "/bin/../bin/sh", "/bin", "", "sh\x00",
		file("plain", 0o644), file("open", 0o777), "sh",
	}
	cfg := execute.Config{Type: execute.KindProcess, Commands: commands}
	_, err := execute.New(cfg, dir, clockwork.NewRealClock(), slog.New(slog.DiscardHandler))
	if err == nil || len(strings.Split(err.Error(), "\n")) != len(commands)-1 {
		t.Errorf("want %d faults: %v", len(commands)-1, err)
	}
}

func TestASignalIsNoExitCode(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if code, err := f.Run(t.Context(), shell("kill -SEGV $$"), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "segmentation") {
		t.Errorf("code %d, error %v", code, err)
	}
}
