package peer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"oc-scheduler/internal/peer/ledger"
	"oc-scheduler/store/id"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// orders does what the scheduler asks for. The ledger makes that idempotent.
type orders struct {
	ledger *ledger.Ledger
	runner *runner
	log    *slog.Logger
}

var _ ncl.MessageHandler = (*orders)(nil)

// ShouldProcess is false for what is no order.
func (o *orders) ShouldProcess(_ context.Context, m *envelope.Message) bool {
	switch m.Payload.(type) {
	case *nclprotocol.BookSlots, *nclprotocol.ReleaseSlots, *nclprotocol.RunExecution, *nclprotocol.CancelExecution:
		return true
	}
	return false
}

// HandleMessage carries an order out, or records why it can't be. Only an order without a proper name,
// or one that no ledger holds, is lost.
func (o *orders) HandleMessage(ctx context.Context, m *envelope.Message) error {
	var err error
	switch order := m.Payload.(type) {
	case *nclprotocol.BookSlots:
		if err = id.Check(order.BookingID); err == nil {
			return impossible(o.ledger.Book(ctx, *order))
		}
	case *nclprotocol.ReleaseSlots:
		if err = id.Check(order.BookingID); err == nil {
			return impossible(o.ledger.Release(ctx, *order))
		}
	case *nclprotocol.RunExecution:
		if err = id.Check(order.ExecutionID); err == nil {
			return impossible(o.run(ctx, *order))
		}
	case *nclprotocol.CancelExecution:
		if err = id.Check(order.ExecutionID); err == nil {
			return impossible(o.cancel(ctx, *order))
		}
	}
	return ncl.Permanent(err)
}

// impossible marks the error of an order that no ledger holds.
func impossible(err error) error {
	if errors.Is(err, watcher.ErrInvalid) {
		return ncl.Permanent(err)
	}
	return err
}

func (o *orders) run(ctx context.Context, order nclprotocol.RunExecution) error {
	if err := o.obstacle(order); err != nil {
		return o.ledger.Reject(ctx, order, err.Error())
	}
	_, err := o.ledger.Accept(ctx, order)
	if errors.Is(err, watcher.ErrInvalid) {
		return o.ledger.Reject(ctx, order, "the order is too long")
	}
	if err != nil {
		return err
	}
	x, _ := o.ledger.Execution(order.ExecutionID)
	if x.State != nclprotocol.ExecutionQueued || o.runner.submit(order.ExecutionID) {
		return nil
	}
	_, err = o.ledger.Change(ctx, order.ExecutionID, ledger.Outcome{State: nclprotocol.ExecutionFailed, Reason: "too many executions wait on this node"})
	return err
}

// obstacle says why an order can't be run.
func (o *orders) obstacle(order nclprotocol.RunExecution) error {
	if order.BookingID != "" {
		if b, known := o.ledger.Booking(order.BookingID); !known || b.State != nclprotocol.BookingBooked {
			return fmt.Errorf("booking %q holds no room here", order.BookingID)
		}
	}
	return o.runner.executor.Check(taskOf(order))
}

func (o *orders) cancel(ctx context.Context, order nclprotocol.CancelExecution) error {
	running, err := o.ledger.Cancel(ctx, order.ExecutionID, order.Reason)
	if running {
		o.runner.cancel(order.ExecutionID, &cancelledError{order.Reason})
	}
	return err
}
