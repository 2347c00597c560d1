package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// understood holds that a command line of ours is one, as far as it can be told without running it.
func understood(t *testing.T, where string, args []string) {
	t.Helper()
	if err := reads(t, args); err != nil {
		t.Errorf("%s: %q: %v", where, args, err)
	}
}

// TestUnits holds that what systemd is told to start is a command line, that it is told when that is ready, that it
// restarts all but faults of the configuration, and that its users need nothing of a directory that is root's.
func TestUnits(t *testing.T) {
	t.Parallel()
	units, err := filepath.Glob(root + "deploy/systemd/*.service")
	if err != nil || len(units) != 2 {
		t.Fatal(units, err)
	}
	for _, unit := range units {
		is := map[string]string{}
		section := ""
		for line := range strings.Lines(read(t, unit)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "[") || line == "" || strings.HasPrefix(line, "#") {
				section += line
				continue
			}
			name, value, ok := strings.Cut(line, "=")
			if _, twice := is[name]; !ok || twice || section == "" {
				t.Errorf("%s: %q", unit, line)
			}
			is[name] = value
		}
		if is["Type"] != "notify" || is["RestartPreventExitStatus"] != "78" || is["Restart"] != "on-failure" || is["NoNewPrivileges"] != "yes" {
			t.Errorf("%s: %v", unit, is)
		}
		if is["DynamicUser"] != "yes" || strings.Contains(is["ExecStart"], "/etc/") {
			t.Errorf("%s: its user may not read what is in /etc/oc-scheduler: %s", unit, is["ExecStart"])
		}
		dirs := strings.NewReplacer("${STATE_DIRECTORY}", t.TempDir(), "${CREDENTIALS_DIRECTORY}", t.TempDir())
		line := strings.Fields(dirs.Replace(is["ExecStart"]))
		if len(line) < 2 || line[0] != "/usr/local/bin/oc-scheduler" {
			t.Fatalf("%s: %v", unit, line)
		}
		understood(t, unit, line[1:])
		verified(t, unit)
	}
}

// verified has systemd read a unit, where it is there, with a program of ours as the one that it starts.
func verified(t *testing.T, unit string) {
	t.Helper()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Logf("%s is not read by systemd: %v", unit, err)
		return
	}
	copied := filepath.Join(t.TempDir(), filepath.Base(unit))
	text := strings.ReplaceAll(read(t, unit), "/usr/local/bin/oc-scheduler", os.Args[0])
	if err := os.WriteFile(copied, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", copied).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%s: %v\n%s", unit, err, out)
	}
}
