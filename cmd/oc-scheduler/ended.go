package main

import (
	"fmt"
	"strings"
	"syscall"

	"oc-scheduler/internal/peer/execute"
)

// exit is the exit code of a command that followed an execution to its end: the execution's own, or one that
// says what cut it off.
func (e *executionDoc) exit() error {
	switch {
	case e.State == "completed":
		return nil
	case e.ExitCode != nil && *e.ExitCode != 0:
		return &exitError{code: *e.ExitCode}
	}
	return &exitError{e.cut(), fmt.Errorf("execution %s %s", e.ExecutionID, strings.TrimSuffix(e.became()+": "+e.Reason, ": "))}
}

// cut is the exit code for an execution that did not end by itself.
func (e *executionDoc) cut() int {
	switch n := signalIn(e.Reason); {
	case n > 0:
		return exitSignal + n
	case strings.HasPrefix(e.Reason, execute.ErrTimeout.Error()):
		return exitTimeout
	case e.StartedAt.IsZero(), strings.HasPrefix(e.Reason, execute.NotStarted):
		return exitNotRun
	case e.State == "cancelled":
		return exitSignal + int(syscall.SIGTERM) // by which the node asks it to end
	}
	return exitFailure // it had begun, and nobody knows how it ended
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
