package main

import "strings"

// Exit codes. Those of check are for scripts: available, unavailable, unknown.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUnavailable = 2
	exitUnknown     = 3
	exitConfig      = 78 // EX_CONFIG of sysexits.h
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
// start tell it apart from failures that a restart may cure.
func usageCode(args []string) int {
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") {
			if arg == "serve" || arg == "demo" || arg == "peer" {
				return exitConfig
			}
			break
		}
	}
	return exitFailure
}
