package orchestrator

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store"
	"oc-scheduler/store/kv"
	"oc-scheduler/streams/envelope"
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
	quiet   quiet
}

// run works until ctx ends. Messages in hand are then left to the next holder of their partition.
func (w *worker) run(ctx context.Context) {
	for {
		l, ok := w.desk.next(ctx)
		if !ok {
			return
		}
		err := w.work(ctx, l)
		if err == nil {
			l.pause = nil
			w.desk.done(l)
			continue
		}
		w.fail(ctx, l, err)
	}
}

// fail gives back a line for another try: a worker waits for nobody, for one node's trouble would be that
// of all.
func (w *worker) fail(ctx context.Context, l *line, err error) {
	l.known = false // the outcome may be unknown, or somebody was faster
	if !errors.Is(err, kv.ErrConflict) && ctx.Err() == nil {
		w.log.WarnContext(ctx, "events of a node could not be handled, trying again", "node_id", l.nodeID, "error", err)
	}
	if l.pause == nil {
		l.pause = &backoff.ExponentialBackOff{InitialInterval: 5 * time.Millisecond, MaxInterval: 2 * time.Second, Multiplier: 2, RandomizationFactor: 0.5}
	}
	w.desk.retry(l, time.Now(), l.pause.NextBackOff())
}

func (w *worker) work(ctx context.Context, l *line) (err error) {
	switch in, err := w.letIn(ctx, l.nodeID); {
	case err != nil:
		return err
	case !in:
		w.metrics.events.WithLabelValues(outcomeForeign).Add(float64(len(l.working)))
		w.quiet.strangers.Do(func() {
			w.log.WarnContext(ctx, "a node that is not let in sends events, which count for nothing", "node_id", l.nodeID)
		})
		return nil
	}
	if !l.known {
		if l.cursor, l.revision, err = w.store.Executions.Cursor(ctx, l.nodeID); err != nil {
			return err
		}
		l.known = true
	}
	s := &sieve{codec: w.codec, cursor: l.cursor, unreadable: l.unreadable, ask: func() (ledgers, error) { return w.ledgers(ctx, l.nodeID) }}
	if err := s.sift(l.working); err != nil {
		return err
	}
	for _, dead := range s.dead {
		if err := w.bury(ctx, l, dead); err != nil {
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

// letIn says whether a node takes part. What one says that does not counts for nothing: it makes no record, and no
// dead letter, for it may say what it likes. Let in again, it sends again what it has said meanwhile. A broken record
// shuts nobody out.
func (w *worker) letIn(ctx context.Context, nodeID string) (bool, error) {
	if n, known := w.store.Nodes.View().Get(nodeID); known && n.Value.Membership == store.Approved {
		return true, nil
	}
	n, err := w.store.Nodes.Get(ctx, nodeID) // the view may be behind
	switch {
	case errors.Is(err, kv.ErrUndecodable):
		return true, nil
	case errors.Is(err, kv.ErrNotFound):
		return false, nil
	}
	return err == nil && n.Membership == store.Approved, err
}

// registryOf knows the events.
func registryOf() (*envelope.Registry, error) {
	registry := envelope.NewRegistry()
	return registry, nclprotocol.RegisterExecution(registry)
}
