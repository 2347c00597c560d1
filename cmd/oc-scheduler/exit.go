package main

import "strings"

// Exit codes. Those of check and of what books are for scripts: available or booked, unavailable or taken, unknown.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUnavailable = 2
	exitUnknown     = 3
	exitIncomplete  = 4   // of schedule --wait: not all of it completed
	exitTimeout     = 124 // of run, as timeout(1) has it
	exitNotRun      = 125 // of run, as others that start programs have it; what is run has codes of its own
	exitSignal      = 128 // and the number of the signal, as shells have it
	exitConfig      = 78  // EX_CONFIG of sysexits.h
)

// exitError ends the program with a code; without err nothing is printed.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageCode is the code of a command line that cannot be read: the commands that service managers
// start tell it apart from failures that a restart may cure, and run from what the program says.
func usageCode(args []string) int {
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			switch arg {
			case "serve", "demo", "peer":
				return exitConfig
			case "run":
				return exitNotRun
			}
			break
		}
	}
	return exitFailure
}
