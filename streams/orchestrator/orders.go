package orchestrator

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/store/booking"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/nclprotocol"
)

// sendTimeout bounds one try to store an order.
const sendTimeout = 3 * time.Second

// Orders sends messages to nodes.
type Orders struct {
	js     jetstream.JetStream
	store  *store.Store
	copies int // of the stream, should it have to be made again
	codec  envelope.Codec
}

func newOrders(js jetstream.JetStream, st *store.Store, copies int) (*Orders, error) {
	registry, err := registryOf()
	return &Orders{js, st, copies, envelope.Codec{Serializer: envelope.Serializer{MaxBytes: nclprotocol.MaxMessage}, Registry: registry}}, err
}

// Send stores an order for a node, after all that were sent to it before; the node reads it when it is
// there. The payload is one of the orders of nclprotocol. It fails with ErrUnknownNode, ErrNotApproved,
// store.ErrTooLarge, and with store.ErrUnavailable, after which the order may have been stored.
func (o *Orders) Send(ctx context.Context, nodeID string, order any) error {
	if err := o.allowed(ctx, nodeID); err != nil {
		return err
	}
	frame, err := o.codec.Encode(&envelope.Message{Header: envelope.Header{Time: time.Now().UTC()}, Payload: order})
	if errors.Is(err, envelope.ErrTooLarge) {
		return fmt.Errorf("%w: %w", store.ErrTooLarge, err)
	}
	if err != nil {
		return err
	}
	return o.publish(ctx, nodeID, frame)
}

func (o *Orders) allowed(ctx context.Context, nodeID string) error {
	n, err := o.store.Nodes.Get(ctx, nodeID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return ErrUnknownNode
	case err != nil:
		return err
	case n.Membership != store.Approved:
		return ErrNotApproved
	}
	return nil
}

// publish tries again when it can't know the outcome: the stream keeps one of the copies.
func (o *Orders) publish(ctx context.Context, nodeID string, frame []byte) error {
	name := rand.Text()
	for {
		err := o.try(ctx, nodeID, name, frame)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, jetstream.ErrNoStreamResponse):
			return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (o *Orders) try(ctx context.Context, nodeID, name string, frame []byte) error {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	m := nats.NewMsg(nclprotocol.InSubject(nodeID))
	m.Data = frame
	_, err := o.js.PublishMsg(ctx, m, jetstream.WithMsgID(name), jetstream.WithExpectStream(nclprotocol.InStream), jetstream.WithRetryAttempts(0))
	if errors.Is(err, jetstream.ErrNoStreamResponse) { // it has gone, or has no leader
		_, again := jet.EnsureStream(ctx, o.js, nclprotocol.InLayout(o.copies))
		err = errors.Join(err, again)
	}
	return err
}

// RunExecution puts an execution on record and orders a node to run it. It fails with store.ErrExists for an id
// that is taken, and as Send does. An order that could not be sent leaves a failed execution.
func (o *Orders) RunExecution(ctx context.Context, nodeID string, r nclprotocol.RunExecution) (booking.Execution, error) {
	e := booking.Execution{
		ExecutionID: r.ExecutionID, NodeID: nodeID, BookingID: r.BookingID, WorkflowID: r.WorkflowID,
		State: booking.ExecutionOrdered, OrderedAt: time.Now().UTC(),
	}
	if err := o.allowed(ctx, nodeID); err != nil {
		return e, err
	}
	if err := o.store.Executions.Create(ctx, e); err != nil {
		return e, err
	}
	err := o.Send(ctx, nodeID, r)
	if err == nil || errors.Is(err, store.ErrUnavailable) { // then it may have been stored
		return e, err
	}
	return e, errors.Join(err, o.store.Executions.Change(ctx, e.ExecutionID, func(e booking.Execution) (booking.Execution, bool) {
		if e.State != booking.ExecutionOrdered {
			return e, false
		}
		e.State, e.EndedAt, e.Reason = booking.ExecutionFailed, time.Now().UTC(), "not sent: "+err.Error()
		return e, true
	}))
}

// CancelExecution orders the node of an execution to end it. It fails with store.ErrNotFound and as Send does.
func (o *Orders) CancelExecution(ctx context.Context, executionID, reason string) error {
	e, err := o.store.Executions.Get(ctx, executionID)
	if err != nil {
		return err
	}
	return o.Send(ctx, e.NodeID, nclprotocol.CancelExecution{ExecutionID: executionID, Reason: reason})
}
