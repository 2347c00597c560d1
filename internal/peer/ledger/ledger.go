package ledger

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/streams/watcher"
)

// Capacities are what a node has: resource → instance → amounts.
type Capacities map[string]map[string]Amounts

// Ledger holds the bookings and executions of one node.
type Ledger struct {
	store      watcher.EventStore
	capacities Capacities
	clock      clockwork.Clock
	every      uint64 // events between snapshots

	// turn holds one element while a change is made. The next three belong to it.
	turn     chan struct{}
	applied  uint64 // the last event that the state has
	snapshot uint64 // where the last one begins
	doubt    bool   // a write failed, and may have happened

	mu      sync.Mutex
	state   *state
	changed chan struct{} // closed when bookings change
}

// Open makes the state of what the store holds. It fails as the store does, or when an event can't be
// read.
func Open(ctx context.Context, store watcher.EventStore, capacities Capacities, clock clockwork.Clock) (*Ledger, error) {
	l := &Ledger{
		store: store, capacities: capacities, clock: clock, every: snapshotEvery,
		turn: make(chan struct{}, 1), state: newState(), changed: make(chan struct{}),
	}
	from, err := store.GetCheckpoint(ctx, checkpoint)
	if err != nil && !errors.Is(err, watcher.ErrCheckpointNotFound) {
		return nil, err
	}
	l.snapshot = from
	return l, l.replay(ctx, max(from, 1)-1)
}

// decision is an event to be recorded; nil: nothing changes.
type decision struct {
	operation  watcher.Operation
	objectType string
	object     any
}

// change lets decide look at the state and decide, while nobody else changes it, and records and
// applies what it decided. decided says whether that was anything.
func (l *Ledger) change(ctx context.Context, decide func(s *state, now time.Time) *decision) (decided bool, err error) {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if err := l.settle(ctx); err != nil {
		return false, err
	}
	d := decide(l.state, l.clock.Now().UTC()) // only the turn writes, so it reads without the mutex
	if d == nil {
		return false, nil
	}
	if err := l.record(ctx, *d); err != nil {
		return false, err
	}
	l.snapshotIfDue(ctx)
	return true, nil
}

// settle reads what a failed write may have left.
func (l *Ledger) settle(ctx context.Context) error {
	if !l.doubt {
		return nil
	}
	err := l.replay(ctx, l.applied)
	l.doubt = err != nil
	return err
}

// record stores an event, and then applies it. It is called within the turn.
func (l *Ledger) record(ctx context.Context, d decision) error {
	event, err := l.store.StoreEvent(context.WithoutCancel(ctx), watcher.StoreEventRequest{ // half a write is no answer
		Operation: d.operation, ObjectType: d.objectType, Object: d.object,
	})
	if err != nil {
		l.doubt = true
		return err
	}
	return l.apply(event)
}

func (l *Ledger) apply(e watcher.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	bookings, err := l.state.apply(e)
	if bookings {
		close(l.changed)
		l.changed = make(chan struct{})
	}
	l.applied = e.SeqNum
	return err
}

// replay applies the events after a sequence.
func (l *Ledger) replay(ctx context.Context, after uint64) error {
	for {
		events, err := l.store.GetEvents(ctx, watcher.GetEventsRequest{AfterSeqNum: after})
		if err != nil || len(events) == 0 {
			return err
		}
		for _, e := range events {
			if err := l.apply(e); err != nil {
				return err
			}
			after = e.SeqNum
		}
	}
}
