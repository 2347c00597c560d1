package main

import (
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

// TestUnits holds that what systemd is told to start is a command line, that it is told when that is ready, and that it
// restarts all but faults of the configuration.
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
		line := strings.Fields(strings.ReplaceAll(is["ExecStart"], "${STATE_DIRECTORY}", t.TempDir()))
		if len(line) < 2 || line[0] != "/usr/local/bin/oc-scheduler" {
			t.Fatalf("%s: %v", unit, line)
		}
		understood(t, unit, line[1:])
	}
}
