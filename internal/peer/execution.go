package peer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"

	"oc-scheduler/internal/peer/execute"
	"oc-scheduler/internal/peer/ledger"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/nclprotocol"
)

// errStopped is why executions end when the node does.
var errStopped = errors.New("node stopped")

// cancelledError is why an execution ends that is not wanted any more.
type cancelledError struct{ reason string }

func (e *cancelledError) Error() string { return e.reason }

func taskOf(order nclprotocol.RunExecution) execute.Task {
	return execute.Task{
		ID: order.ExecutionID, Command: order.Command, Env: order.Env,
		Duration: order.Duration.Duration(), Timeout: order.Timeout.Duration(),
	}
}

// execute runs an order. ctx ends it; what happens is recorded until disk ends.
func (r *runner) execute(ctx, disk context.Context, order nclprotocol.RunExecution) {
	started, err := r.record(disk, order.ExecutionID, ledger.Outcome{State: nclprotocol.ExecutionStarting})
	if err != nil || !started { // the node stops, or it was cancelled
		return
	}
	outcome := r.run(ctx, disk, order)
	if _, err := r.record(disk, order.ExecutionID, outcome); err != nil { // the next start says that it ended
		r.log.WarnContext(ctx, "the end of an execution was not recorded", "execution_id", order.ExecutionID, "state", outcome.State)
	}
}

// run is what became of an execution.
func (r *runner) run(ctx, disk context.Context, order nclprotocol.RunExecution) ledger.Outcome {
	output, err := r.output(order.ExecutionID)
	if err != nil {
		return ledger.Outcome{State: nclprotocol.ExecutionFailed, Reason: fmt.Sprintf(execute.NotStarted+"output: %v", err)}
	}
	defer func() {
		if err := output.Close(); err != nil {
			r.log.WarnContext(ctx, "output is not complete", "execution_id", order.ExecutionID, "error", err)
		}
	}()
	if _, err := r.record(disk, order.ExecutionID, ledger.Outcome{State: nclprotocol.ExecutionRunning}); err != nil {
		return outcomeOf(0, err)
	}
	if ctx.Err() != nil {
		return outcomeOf(0, context.Cause(ctx))
	}
	return outcomeOf(r.executor.Run(ctx, taskOf(order), output.Stdout(), output.Stderr()))
}

// output begins the output of an execution. What is there under its name is of one that this ledger has
// forgotten, or never knew.
func (r *runner) output(executionID string) (*logstream.Output, error) {
	output, err := r.files.Create(executionID)
	if !errors.Is(err, logstream.ErrExists) {
		return output, err
	}
	if err := r.files.Remove(executionID); err != nil {
		return nil, err
	}
	return r.files.Create(executionID)
}

func outcomeOf(code int, err error) ledger.Outcome {
	cancelled, isCancelled := errors.AsType[*cancelledError](err)
	switch {
	case isCancelled:
		return ledger.Outcome{State: nclprotocol.ExecutionCancelled, Reason: cancelled.reason}
	case err != nil:
		return ledger.Outcome{State: nclprotocol.ExecutionFailed, Reason: err.Error()}
	case code != 0:
		return ledger.Outcome{State: nclprotocol.ExecutionFailed, ExitCode: &code, Reason: fmt.Sprintf("exit code %d", code)}
	}
	return ledger.Outcome{State: nclprotocol.ExecutionCompleted, ExitCode: &code}
}

// recordAtEnd is how long a node that stops tries to record what became of its executions.
const recordAtEnd = 10 * time.Second

// outlive is a context that ends a while after another one.
func outlive(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(d, cancel)
		context.AfterFunc(longer, func() { timer.Stop() })
	})
	return longer, func() { stop(); cancel() }
}

// record records a state, and tries until it can or ctx ends: what is not on the disk did not happen.
func (r *runner) record(ctx context.Context, executionID string, o ledger.Outcome) (changed bool, err error) {
	return backoff.Retry(ctx, func() (bool, error) { return r.ledger.Change(ctx, executionID, o) },
		backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(err error, _ time.Duration) {
			r.log.ErrorContext(ctx, "state of an execution can't be recorded, trying again", "execution_id", executionID, "error", err)
		}))
}
