package main

import (
	"context"
	"errors"
	"os"
	"syscall"
)

// interruption is why the program ends that a signal has told to.
type interruption struct{ signal os.Signal }

func (i *interruption) Error() string { return "interrupted: " + i.signal.String() }

// interrupted is the exit code of a command that was told to end before it was done, as shells have it
// for one that the signal killed.
func interrupted(ctx context.Context) int {
	if i, ok := errors.AsType[*interruption](context.Cause(ctx)); ok {
		if s, ok := i.signal.(syscall.Signal); ok {
			return exitSignal + int(s)
		}
	}
	return exitSignal + int(syscall.SIGINT)
}
