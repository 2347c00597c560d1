package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// workers is how many nodes' events are handled at a time. Each has an atomic batch open, of which a
// stream allows 50.
const workers = 8

// worker handles the messages that wait at the desk.
type worker struct {
	js      jetstream.JetStream
	store   *store.Store
	desk    *desk
	handler Handler
	codec   envelope.Codec
	log     *slog.Logger
	metrics *metrics
}

// run works until ctx ends. Messages in hand are then left to the next holder of their partition.
func (w *worker) run(ctx context.Context) {
	for {
		l, ok := w.desk.next(ctx)
		if !ok {
			return
		}
		if !w.settle(ctx, l) {
			return
		}
		w.desk.done(l)
	}
}

// settle handles the messages taken of a line, again until that succeeds or another replica has to; false
// when ctx ended before.
func (w *worker) settle(ctx context.Context, l *line) bool {
	pause := &backoff.ExponentialBackOff{InitialInterval: 5 * time.Millisecond, MaxInterval: 2 * time.Second, Multiplier: 2, RandomizationFactor: 0.5}
	for {
		err := w.work(ctx, l)
		if err == nil || w.desk.isDropped(l) {
			return true
		}
		l.known = false // the outcome may be unknown, or somebody was faster
		if !errors.Is(err, store.ErrOvertaken) && ctx.Err() == nil {
			w.log.WarnContext(ctx, "events of a node could not be handled, trying again", "node_id", l.nodeID, "error", err)
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause.NextBackOff()):
		}
	}
}

func (w *worker) work(ctx context.Context, l *line) (err error) {
	if !l.known {
		if l.cursor, l.revision, err = w.store.Executions.Cursor(ctx, l.nodeID); err != nil {
			return err
		}
		l.known = true
	}
	s := &sieve{codec: w.codec, cursor: l.cursor, unreadable: l.unreadable, ledger: func() (string, error) { return w.ledger(ctx, l.nodeID) }}
	if err := s.sift(l.working); err != nil {
		return err
	}
	for _, dead := range s.dead {
		if err := w.bury(ctx, dead); err != nil {
			return err
		}
	}
	if err := w.handle(ctx, l, s); err != nil {
		return err
	}
	l.unreadable = s.unreadable
	for outcome, n := range s.counts {
		w.metrics.events.WithLabelValues(outcome).Add(float64(n))
	}
	if s.gap != "" {
		return w.demandHandshake(ctx, l.nodeID, s.gap, s.gapAt)
	}
	return nil
}

// ledger is the one that numbers a node's events now.
func (w *worker) ledger(ctx context.Context, nodeID string) (string, error) {
	n, err := w.store.Nodes.Get(ctx, nodeID)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrUndecodable):
		return "", nil
	case err != nil:
		return "", err
	case n.Membership != store.Approved:
		return "", nil
	}
	return n.Ledger, nil
}

// handle hands over events and stores what comes of them: all at once, or, when one of them is at fault,
// each by itself.
func (w *worker) handle(ctx context.Context, l *line, s *sieve) error {
	err := w.step(ctx, l, s.events, s.cursor)
	if !ncl.IsPermanent(err) {
		return err
	}
	for i, e := range s.events {
		at := store.Cursor{Ledger: e.Source, Sequence: e.Sequence}
		err := w.step(ctx, l, s.events[i:i+1], at)
		if ncl.IsPermanent(err) {
			s.counts[outcomeHandled]--
			s.counts[outcomeDead]++
			if err = w.bury(ctx, letter{e.received, "refused", err.Error()}); err == nil {
				err = w.step(ctx, l, nil, at)
			}
		}
		if err != nil {
			return err
		}
	}
	return w.step(ctx, l, nil, s.cursor)
}

// step has events handled and commits their effects and the cursor.
func (w *worker) step(ctx context.Context, l *line, events []event, cursor store.Cursor) error {
	if cursor == l.cursor {
		return nil
	}
	step := w.store.Executions.NewStep(l.nodeID, l.revision)
	if len(events) > 0 {
		messages := make([]*envelope.Message, len(events))
		for i, e := range events {
			messages[i] = e.Message
		}
		if err := guarded(func() error { return w.handler.HandleEvents(ctx, l.nodeID, messages, step) }); err != nil {
			return err
		}
	}
	revision, err := step.Commit(ctx, cursor)
	if errors.Is(err, store.ErrTooLarge) {
		err = ncl.Permanent(err)
	}
	if err == nil {
		l.cursor, l.revision = cursor, revision
	}
	return err
}

// guarded makes a panic the fault of an event, which is set aside.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = ncl.Permanent(fmt.Errorf("handler panicked: %v\n%s", p, debug.Stack()))
		}
	}()
	return f()
}

// demandHandshake has the node send again what is missing: whichever replica gets its next heartbeat says
// so. A gap that an earlier session left is no reason: the present one began after it.
func (w *worker) demandHandshake(ctx context.Context, nodeID, missing string, position uint64) error {
	demanded := false
	_, err := w.store.Nodes.Change(ctx, nodeID, func(n *store.NodeRecord) (*store.NodeRecord, error) {
		demanded = n != nil && n.State == store.NodeConnected && n.HandshakeRequired == "" && position > n.OutPosition
		if !demanded {
			return nil, nil
		}
		n.HandshakeRequired = missing
		return n, nil
	})
	if demanded && err == nil {
		w.log.WarnContext(ctx, "events of a node are missing: it is asked for a handshake", "node_id", nodeID, "missing", missing)
	}
	return err
}

// registryOf knows the events.
func registryOf() (*envelope.Registry, error) {
	registry := envelope.NewRegistry()
	return registry, nclprotocol.RegisterExecution(registry)
}
