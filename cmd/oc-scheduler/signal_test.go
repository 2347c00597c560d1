package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// program is the real thing, in a process of its own.
type program struct {
	*exec.Cmd
	ready string // a file
	ended chan struct{}
}

func startProgram(t *testing.T, grace string) *program {
	t.Helper()
	dir := t.TempDir()
	p := &program{ready: filepath.Join(dir, "ready"), ended: make(chan struct{})}
	p.Cmd = exec.CommandContext(t.Context(), os.Args[0], "serve", "--listen", "127.0.0.1:0", "--nats-listen", "off",
		"--data-dir", dir, "--ready-file", p.ready, "--drain-grace", grace)
	p.Env = append(os.Environ(), asProgram+"=1")
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.Wait() // the exit code tells
	}()
	eventually(t, "ready", func() bool { _, err := os.Stat(p.ready); return err == nil })
	return p
}

func (p *program) terminate(t *testing.T) {
	t.Helper()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
}

func (p *program) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

func TestOneSignalDrains(t *testing.T) {
	t.Parallel()
	p := startProgram(t, "0s")
	p.terminate(t)
	eventually(t, "the end", p.hasEnded)
	if code := p.ProcessState.ExitCode(); code != exitOK {
		t.Errorf("exit code %d, want %d", code, exitOK)
	}
}

func TestTwoSignalsEndItAtOnce(t *testing.T) {
	t.Parallel()
	p := startProgram(t, "10m")
	p.terminate(t)
	eventually(t, "draining", func() bool { _, err := os.Stat(p.ready); return errors.Is(err, os.ErrNotExist) })
	eventually(t, "the end", func() bool {
		p.terminate(t)
		return p.hasEnded()
	})
	if code := p.ProcessState.ExitCode(); code != exitFailure {
		t.Errorf("exit code %d, want %d", code, exitFailure)
	}
}
