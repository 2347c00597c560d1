package execute

import (
	"context"
	"errors"
	"io"
	"time"
)

// Task is one thing to run.
type Task struct {
	ID       string
	Command  []string          // program and arguments
	Env      map[string]string // only what the node allows
	Duration time.Duration     // of an executor that only sleeps
	Timeout  time.Duration     // from the start; 0: the executor's own
}

// Executor runs tasks.
type Executor interface {
	// Check says why a task can't run here, whenever it comes.
	Check(t Task) error
	// Run runs a task, and returns its exit code when it ended by itself. Otherwise the error says why it
	// could not start or was ended: it wraps ErrTimeout after the task's time, and the cause of ctx when
	// that has ended, which asks the task to end and kills it when it does not.
	Run(ctx context.Context, t Task, stdout, stderr io.Writer) (exitCode int, err error)
}

// ErrTimeout says that a task took longer than it may.
var ErrTimeout = errors.New("took too long")

// EndedBySignal begins the text of the error of a task that a signal ended; the signal's name follows.
const EndedBySignal = "ended by a signal: "

// NotStarted begins the text of the error of a task that did not begin; the reason follows.
const NotStarted = "could not be started: "

// within is the time that a task has: the shorter of its own and the executor's limit.
func (t Task) within(limit time.Duration) time.Duration {
	if t.Timeout > 0 {
		return min(t.Timeout, limit)
	}
	return limit
}
