package ledger

import (
	"cmp"
	"context"
	"slices"
	"time"

	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// Accept records the order of an execution that is not known yet. Otherwise accepted is false.
func (l *Ledger) Accept(ctx context.Context, order nclprotocol.RunExecution) (accepted bool, err error) {
	return l.change(ctx, func(s *state, _ time.Time) *decision {
		if _, known := s.executions[order.ExecutionID]; known {
			return nil
		}
		return &decision{watcher.OperationCreate, nclprotocol.TypeRunExecution, order}
	})
}

// Reject records that an order can't be run, unless the execution is known already.
func (l *Ledger) Reject(ctx context.Context, order nclprotocol.RunExecution, reason string) error {
	_, err := l.change(ctx, func(s *state, now time.Time) *decision {
		if _, known := s.executions[order.ExecutionID]; known {
			return nil
		}
		return &decision{watcher.OperationCreate, nclprotocol.TypeExecutionChanged, nclprotocol.ExecutionChanged{
			ExecutionID: order.ExecutionID, BookingID: order.BookingID, WorkflowID: order.WorkflowID,
			State: nclprotocol.ExecutionFailed, At: now, Reason: reason,
		}}
	})
	return err
}

// Outcome is what is known of an execution in a new state.
type Outcome struct {
	State    nclprotocol.ExecutionState
	ExitCode *int
	Reason   string
}

// Change records that an execution came to a new state. changed is false when it is not known, or has
// ended.
func (l *Ledger) Change(ctx context.Context, executionID string, o Outcome) (changed bool, err error) {
	return l.change(ctx, func(s *state, now time.Time) *decision {
		x, known := s.executions[executionID]
		if !known || x.State.Final() {
			return nil
		}
		return update(x.ExecutionChanged, o, now)
	})
}

func update(c nclprotocol.ExecutionChanged, o Outcome, now time.Time) *decision {
	c.State, c.ExitCode, c.Reason, c.At = o.State, o.ExitCode, o.Reason, now
	return &decision{watcher.OperationUpdate, nclprotocol.TypeExecutionChanged, c}
}

// Cancel records the end of an execution that does not run, also of one that is not known. Of one that
// runs it records nothing: running is true, and its end is to come.
func (l *Ledger) Cancel(ctx context.Context, executionID, reason string) (running bool, err error) {
	_, err = l.change(ctx, func(s *state, now time.Time) *decision {
		x, known := s.executions[executionID]
		switch {
		case !known:
			x.ExecutionID = executionID
		case x.State.Final():
			return nil
		case x.State != nclprotocol.ExecutionQueued:
			running = true
			return nil
		}
		return update(x.ExecutionChanged, Outcome{State: nclprotocol.ExecutionCancelled, Reason: reason}, now)
	})
	return running, err
}

// Restarted records the end of executions that ran when the node ended, and returns those that wait, in
// the order in which they came.
func (l *Ledger) Restarted(ctx context.Context) (waiting []nclprotocol.RunExecution, err error) {
	for _, x := range l.open() {
		if x.State == nclprotocol.ExecutionQueued {
			waiting = append(waiting, *x.Order)
			continue
		}
		if _, err := l.Change(ctx, x.ExecutionID, Outcome{State: nclprotocol.ExecutionFailed, Reason: "node restarted"}); err != nil {
			return nil, err
		}
	}
	return waiting, nil
}

// open are the executions that have not ended, in the order in which they came.
func (l *Ledger) open() []Execution {
	l.mu.Lock()
	defer l.mu.Unlock()
	var open []Execution
	for _, x := range l.state.executions {
		if !x.State.Final() {
			open = append(open, x)
		}
	}
	slices.SortFunc(open, func(a, b Execution) int { return cmp.Compare(a.Seq, b.Seq) })
	return open
}

// Execution is what is known of an execution.
func (l *Ledger) Execution(executionID string) (x Execution, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	x, known = l.state.executions[executionID]
	return x, known
}
