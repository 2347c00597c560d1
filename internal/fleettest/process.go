package fleettest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Process is a command of oc-scheduler in a process of its own.
type Process struct {
	cmd   *exec.Cmd
	ended chan struct{}
	err   error // of the process, after ended
}

// Replica is one that serves.
type Replica struct {
	URL string
	*Process
}

// Program is what is started.
type Program struct {
	Path string
	Env  []string // besides that of this process
}

// Run starts a command, which is killed at the end of the test.
func (p Program) Run(tb testing.TB, args ...string) *Process {
	tb.Helper()
	cmd := exec.CommandContext(context.Background(), p.Path, args...)
	cmd.Env = append(os.Environ(), p.Env...)
	cmd.Stdout, cmd.Stderr = tb.Output(), tb.Output()
	if err := cmd.Start(); err != nil {
		tb.Fatalf("starting %v: %v", args, err)
	}
	r := &Process{cmd: cmd, ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		r.err = cmd.Wait()
	}()
	tb.Cleanup(r.Kill)
	return r
}

// Start starts a replica with the flags that every test needs and those given, and waits until it is
// ready.
func (p Program) Start(tb testing.TB, flags ...string) *Replica {
	tb.Helper()
	dir := tb.TempDir()
	listen, ready := filepath.Join(dir, "listen"), filepath.Join(dir, "ready")
	args := append([]string{
		"serve", "--listen", "127.0.0.1:0", "--listen-file", listen, "--ready-file", ready, "--log-level", "warn",
	}, flags...)
	r := &Replica{Process: p.Run(tb, args...)}
	Until(tb, "the replica is ready", func() string {
		select {
		case <-r.ended:
			tb.Fatalf("the replica ended: %v", r.err)
		default:
		}
		_, err := os.Stat(ready)
		if err != nil {
			return err.Error()
		}
		return ""
	})
	addr, err := os.ReadFile(listen)
	if err != nil {
		tb.Fatal(err)
	}
	r.URL = "http://" + strings.TrimSpace(string(addr))
	return r
}

// Kill ends the process at once.
func (r *Process) Kill() {
	_ = r.cmd.Process.Kill() // it may have ended
	<-r.ended
}

// Drain asks the process to end, as an operator does; Wait waits for that.
func (r *Process) Drain() error { return r.cmd.Process.Signal(syscall.SIGTERM) }

// Wait waits for the end of the process. Its error is that of an exit code other than 0.
func (r *Process) Wait() error {
	<-r.ended
	return r.err
}
