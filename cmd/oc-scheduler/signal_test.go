package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestSignals holds that a signal drains, and that a second one does not wait for that.
func TestSignals(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		grace   string
		signals int
		code    int
	}{
		"one drains":         {"0s", 1, exitOK},
		"two end it at once": {"10m", 2, exitFailure},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			ready := filepath.Join(dir, "ready")
			program := exec.CommandContext(t.Context(), os.Args[0], "serve", "--listen", "127.0.0.1:0", "--nats-listen", "off",
				"--data-dir", dir, "--ready-file", ready, "--drain-grace", tc.grace)
			program.Env = append(os.Environ(), asProgram+"=1")
			if err := program.Start(); err != nil {
				t.Fatal(err)
			}
			eventually(t, "ready", func() bool { _, err := os.Stat(ready); return err == nil })
			for range tc.signals {
				if err := program.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				// The drain has begun when the file has gone: the next signal is not merged with this one.
				eventually(t, "draining", func() bool { _, err := os.Stat(ready); return errors.Is(err, os.ErrNotExist) })
			}
			err := program.Wait()
			if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
				t.Fatal(err)
			} else if got := program.ProcessState.ExitCode(); got != tc.code {
				t.Errorf("exit code %d, want %d", got, tc.code)
			}
		})
	}
}
