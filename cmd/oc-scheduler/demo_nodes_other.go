//go:build !linux

package main

import "syscall"

// withParent would have a process end with the one that started it, which is known of Linux alone.
func withParent() *syscall.SysProcAttr { return nil }

func bound(f func() error) error { return f() }
