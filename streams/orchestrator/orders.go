package orchestrator

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
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
// there. The payload is one of the orders of nclprotocol. A node that the view shows as approved is not looked at once
// more: who has just been rejected is told something that he does not obey. It fails with ErrUnknownNode, ErrNotApproved,
// kv.ErrTooLarge, and with kv.ErrUnavailable, after which the order may have been stored.
func (o *Orders) Send(ctx context.Context, nodeID string, order any) error {
	if n, known := o.store.Nodes.View().Get(nodeID); !known || n.Value.Membership != store.Approved {
		if err := o.allowed(ctx, nodeID); err != nil {
			return err
		}
	}
	_, err := o.send(ctx, nodeID, order)
	return err
}

// send returns the order's place in the stream.
func (o *Orders) send(ctx context.Context, nodeID string, order any) (uint64, error) {
	frame, err := o.codec.Encode(&envelope.Message{Header: envelope.Header{Time: time.Now().UTC()}, Payload: order})
	if errors.Is(err, envelope.ErrTooLarge) {
		return 0, fmt.Errorf("%w: %w", kv.ErrTooLarge, err)
	}
	if err != nil {
		return 0, err
	}
	return o.publish(ctx, nodeID, frame)
}

func (o *Orders) allowed(ctx context.Context, nodeID string) error {
	n, err := o.store.Nodes.Get(ctx, nodeID)
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return ErrUnknownNode
	case err != nil:
		return err
	case n.Membership != store.Approved:
		return ErrNotApproved
	}
	return nil
}

// publish tries again when it can't know the outcome: the stream keeps one of the copies.
func (o *Orders) publish(ctx context.Context, nodeID string, frame []byte) (uint64, error) {
	name := rand.Text()
	for {
		sequence, err := o.try(ctx, nodeID, name, frame)
		switch {
		case err == nil:
			return sequence, nil
		case ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, jetstream.ErrNoStreamResponse):
			return 0, fmt.Errorf("%w: %w", kv.ErrUnavailable, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (o *Orders) try(ctx context.Context, nodeID, name string, frame []byte) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	m := nats.NewMsg(nclprotocol.InSubject(nodeID))
	m.Data = frame
	ack, err := o.js.PublishMsg(ctx, m, jetstream.WithMsgID(name), jetstream.WithExpectStream(nclprotocol.InStream), jetstream.WithRetryAttempts(0))
	if errors.Is(err, jetstream.ErrNoStreamResponse) { // it has gone, or has no leader
		_, again := jet.EnsureStream(ctx, o.js, nclprotocol.InLayout(o.copies))
		err = errors.Join(err, again)
	}
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}

// Execute puts an execution on record and orders a node to run it. It fails with store.ErrExists for an id
// that is taken, and as Send does; an order that can't be sent leaves a failed execution. Once it is on
// record it is sent, be it later and by another replica: then NATS out of reach is no failure.
func (o *Orders) Execute(ctx context.Context, nodeID string, order execution.Order) (execution.Execution, error) {
	r := nclprotocol.RunExecution{
		ExecutionID: order.ExecutionID, BookingID: order.BookingID, WorkflowID: order.WorkflowID, Command: order.Command, Env: order.Env,
		Duration: nclprotocol.Seconds(order.Duration), Timeout: nclprotocol.Seconds(order.Timeout),
	}
	document, err := json.Marshal(r)
	if err != nil {
		return execution.Execution{}, err
	}
	e := execution.Execution{
		ExecutionID: r.ExecutionID, NodeID: nodeID, BookingID: r.BookingID, WorkflowID: r.WorkflowID, Of: order.Of,
		State: execution.Ordered, OrderedAt: o.store.Now().UTC(), Command: r.Command, Order: document,
	}
	if err := o.allowed(ctx, nodeID); err != nil {
		return e, err
	}
	revision, err := o.store.Executions.Create(ctx, e)
	if err != nil {
		return e, err
	}
	sequence, err := o.send(ctx, nodeID, r)
	if err == nil {
		err = o.store.Executions.ChangeFrom(ctx, e, revision, whileOrdered(sentAs(sequence)))
	}
	if err == nil || errors.Is(err, kv.ErrUnavailable) {
		return e, nil
	}
	return e, errors.Join(err, o.store.Executions.Change(ctx, e.ExecutionID, whileOrdered(func(e *execution.Execution) {
		*e = end(*e, execution.Failed, "not sent: "+err.Error())
	})))
}

// dispatch sends the order of an execution on record, and notes that there.
func (o *Orders) dispatch(ctx context.Context, nodeID string, r nclprotocol.RunExecution) error {
	if err := o.allowed(ctx, nodeID); err != nil {
		return err
	}
	sequence, err := o.send(ctx, nodeID, r)
	if err != nil {
		return err
	}
	return o.store.Executions.Change(ctx, r.ExecutionID, whileOrdered(sentAs(sequence)))
}

// sentAs notes where in the stream of orders that of an execution stands.
func sentAs(sequence uint64) func(*execution.Execution) {
	return func(e *execution.Execution) { e.SentAs, e.Order = sequence, nil }
}

// whileOrdered changes an execution of which the node has not told yet.
func whileOrdered(change func(*execution.Execution)) func(execution.Execution) (execution.Execution, bool) {
	return func(e execution.Execution) (execution.Execution, bool) {
		if e.State != execution.Ordered {
			return e, false
		}
		change(&e)
		return e, true
	}
}
