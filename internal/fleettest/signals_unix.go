//go:build unix

package fleettest

import (
	"os"
	"syscall"
)

var pauseSignal, resumeSignal os.Signal = syscall.SIGSTOP, syscall.SIGCONT
