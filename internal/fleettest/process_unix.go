//go:build unix

package fleettest

import "syscall"

// Pause stops the process in its tracks until Resume.
func (r *Process) Pause() error { return r.cmd.Process.Signal(syscall.SIGSTOP) }

// Resume lets a paused process go on.
func (r *Process) Resume() error { return r.cmd.Process.Signal(syscall.SIGCONT) }
