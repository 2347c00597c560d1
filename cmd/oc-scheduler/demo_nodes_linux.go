package main

import (
	"runtime"
	"syscall"
)

// withParent has a process end with the one that started it, also when that is killed, and not be interrupted beside
// it: it is told to end.
func withParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// bound runs f on a thread of its own: a process is taken to have lost its parent when the thread ends that started
// it.
func bound(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return f()
}
