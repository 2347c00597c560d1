package orchestrator

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
	"oc-scheduler/streams/nclprotocol"
)

// CancelExecution orders the node of an execution to end it, whatever its membership. Where no node has it, be it
// removed or away since before the order, that is the end. It fails with kv.ErrNotFound and as Send does.
func (o *Orders) CancelExecution(ctx context.Context, executionID, reason string) error {
	e, err := o.store.Executions.Get(ctx, executionID)
	if err != nil {
		return err
	}
	if _, err := o.send(ctx, e.NodeID, nclprotocol.CancelExecution{ExecutionID: executionID, Reason: reason}); err != nil {
		return err
	}
	n, err := o.store.Nodes.Get(ctx, e.NodeID)
	switch removed := errors.Is(err, kv.ErrNotFound); {
	case removed:
	case err != nil || !waits(e, n): // the node tells, or the reconciler when it can't
		return nil
	}
	if err := o.withdraw(ctx, e); err != nil {
		return err
	}
	return o.store.Executions.Change(ctx, executionID, func(now execution.Execution) (execution.Execution, bool) {
		return end(now, execution.Cancelled, reason), !now.State.Final() && now.Event == e.Event
	})
}

// waits says whether an order has not come to its node, which is away.
func waits(e execution.Execution, n store.NodeRecord) bool {
	return n.State != store.NodeConnected && n.Delivered > 0 && e.State == execution.Ordered && e.SentAs > n.Delivered
}

// end is an execution that ends without a word of its node.
func end(e execution.Execution, as execution.State, reason string) execution.Execution {
	e.State, e.EndedAt, e.Reason, e.Order = as, time.Now().UTC(), reason, nil
	return e
}

// giveUp fails an execution, if it is still as it was seen, or its node was removed and it has not ended; given says
// whether it did. The node, should it have it all the same or get it yet, is told to leave it.
func (o *Orders) giveUp(ctx context.Context, seen execution.Execution, reason string) (given bool, err error) {
	err = o.store.Executions.Change(ctx, seen.ExecutionID, func(e execution.Execution) (execution.Execution, bool) {
		same := e.State == seen.State && e.Event == seen.Event && e.SentAs == seen.SentAs
		given = !e.State.Final() && (same || reason == reasonRemoved)
		return end(e, execution.Failed, reason), given
	})
	if err != nil || !given || reason != reasonRemoved && reason != reasonMissing {
		if errors.Is(err, kv.ErrNotFound) || errors.Is(err, kv.ErrUndecodable) {
			return false, nil
		}
		return given, err
	}
	if err := o.withdraw(ctx, seen); err != nil {
		return true, err
	}
	_, err = o.send(ctx, seen.NodeID, nclprotocol.CancelExecution{ExecutionID: seen.ExecutionID, Reason: reason})
	return true, err
}

// withdraw takes an order out of the stream that its node has yet to read.
func (o *Orders) withdraw(ctx context.Context, e execution.Execution) error {
	if e.State != execution.Ordered || e.SentAs == 0 {
		return nil
	}
	stream, err := o.js.Stream(ctx, nclprotocol.InStream)
	if err != nil {
		return unavailable("stream "+nclprotocol.InStream, err)
	}
	if stands, err := o.stands(ctx, e, stream.CachedInfo().Created); err != nil || !stands {
		return err
	}
	if err := stream.DeleteMsg(ctx, e.SentAs); err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
		return unavailable("order", err)
	}
	return nil
}
