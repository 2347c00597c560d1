package orchestrator

import (
	"context"
	"errors"
	"fmt"

	"oc-scheduler/store"
	"oc-scheduler/store/id"
	"oc-scheduler/store/kv"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/guard"
	"oc-scheduler/streams/ncl"
)

// handle hands over events and stores what comes of them, and the cursor.
func (w *worker) handle(ctx context.Context, l *line, s *sieve) error {
	if err := w.span(ctx, l, s, s.events); err != nil {
		return err
	}
	return w.step(ctx, l, s, nil, s.cursor)
}

// span handles consecutive events: all at once, or, when one of them is at fault, the halves apart. One
// that is alone with its fault is set aside.
func (w *worker) span(ctx context.Context, l *line, s *sieve, events []event) error {
	if len(events) == 0 {
		return nil
	}
	last := events[len(events)-1]
	at := store.Cursor{Ledger: last.Source, Sequence: last.Sequence}
	err := w.step(ctx, l, s, events, at)
	if !ncl.IsPermanent(err) {
		return err
	}
	if half := len(events) / 2; half > 0 {
		if err := w.span(ctx, l, s, events[:half]); err != nil {
			return err
		}
		return w.span(ctx, l, s, events[half:])
	}
	s.counts[outcomeHandled]--
	s.counts[outcomeDead]++
	if err := w.bury(ctx, l, letter{last.received, "refused", err.Error()}); err != nil {
		return err
	}
	return w.step(ctx, l, s, nil, at)
}

// step has events handled and commits their effects and the cursor.
func (w *worker) step(ctx context.Context, l *line, s *sieve, events []event, cursor store.Cursor) error {
	if cursor == l.cursor {
		return nil
	}
	step := w.store.Executions.NewStep(l.nodeID, l.revision)
	if err := w.effects(ctx, l.nodeID, events, step); err != nil {
		return hopeless(err)
	}
	revision, err := step.Commit(ctx, cursor)
	if err == nil {
		l.cursor, l.revision = cursor, revision
		w.unordered(ctx, l.nodeID, s, step.Refused())
	}
	return hopeless(err)
}

// unordered notes that a node has told of more executions that nobody ordered than are kept.
func (w *worker) unordered(ctx context.Context, nodeID string, s *sieve, refused int) {
	if refused == 0 {
		return
	}
	s.counts[outcomeHandled] -= refused
	s.counts[outcomeUnordered] += refused
	w.quiet.unordered.Do(func() {
		w.log.WarnContext(ctx, "a node tells of more executions that nobody ordered than are kept", "node_id", nodeID)
	})
}

// effects has the handler make step of events.
func (w *worker) effects(ctx context.Context, nodeID string, events []event, step *store.Step) error {
	if len(events) == 0 {
		return nil
	}
	messages := make([]*envelope.Message, len(events))
	for i, e := range events {
		messages[i] = e.Message
	}
	err := guard.Apart(func() error { return w.handler.HandleEvents(ctx, nodeID, messages, step) })
	if p, is := errors.AsType[*guard.PanicError](err); is {
		return ncl.Permanent(fmt.Errorf("handler: %w\n%s", p, p.Stack))
	}
	return err
}

// hopeless marks an error that no other try mends.
func hopeless(err error) error {
	for _, never := range []error{kv.ErrTooLarge, kv.ErrUnstorable, id.ErrInvalid} {
		if errors.Is(err, never) {
			return ncl.Permanent(err)
		}
	}
	return err
}
