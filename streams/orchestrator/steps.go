package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"oc-scheduler/store"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
)

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
