package main

import (
	"fmt"
	"strings"
	"syscall"

	"oc-scheduler/internal/peer/execute"
)

// exit is the exit code of a command that ran an execution to its end: the execution's own, that of the
// signal that killed it, or else exitNotRun.
func (e *executionDoc) exit() error {
	switch {
	case e.State == "completed":
		return nil
	case e.ExitCode != nil && *e.ExitCode != 0:
		return &exitError{code: *e.ExitCode}
	}
	code := exitNotRun
	if n := signalIn(e.Reason); n > 0 {
		code = exitSignal + n
	}
	return &exitError{code, fmt.Errorf("execution %s %s", e.ExecutionID, strings.TrimSuffix(e.became()+": "+e.Reason, ": "))}
}

func (e *executionDoc) became() string {
	switch e.State {
	case "failed":
		return "failed"
	case "cancelled":
		return "was cancelled"
	}
	return "is " + e.State
}

// lastSignal is the highest number that signals have.
const lastSignal = 64

// signalIn is the number of the signal that a node gives as the reason of an end; 0: it names none.
func signalIn(reason string) int {
	name, ok := strings.CutPrefix(reason, execute.EndedBySignal)
	if !ok {
		return 0
	}
	for n := 1; n <= lastSignal; n++ {
		if syscall.Signal(n).String() == name {
			return n
		}
	}
	return 0
}
