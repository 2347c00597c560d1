package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/internal/peer/ledger"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// limited fails after some writes.
type limited struct {
	watcher.EventStore
	left int
}

func (l *limited) StoreEvent(ctx context.Context, r watcher.StoreEventRequest) (watcher.Event, error) {
	if l.left--; l.left < 0 {
		return watcher.Event{}, errors.New("disk full")
	}
	return l.EventStore.StoreEvent(ctx, r)
}

// TestSnapshotsInParts: a snapshot of several events counts when all of them are there.
func TestSnapshotsInParts(t *testing.T) {
	t.Parallel()
	const orders = 4
	for writes := orders; writes < orders+4; writes++ {
		memory, clock := watcher.NewMemoryStore(), clockwork.NewFakeClockAt(began)
		l := open(t, &limited{memory, writes}, clock)
		l.SnapshotEvery(orders)
		for i := range orders {
			order := nclprotocol.RunExecution{ExecutionID: fmt.Sprint("x", i), Command: []string{strings.Repeat("a", 400_000)}}
			if accepted, err := l.Accept(t.Context(), order); !accepted || err != nil {
				t.Fatal(accepted, err)
			}
		}
		waiting, err := open(t, memory, clock).Restarted(t.Context())
		if err != nil || len(waiting) != orders {
			t.Errorf("after %d writes: %d of %d wait, %v", writes, len(waiting), orders, err)
		}
	}
}

// TestASnapshotMakesTheRestRedundant: what came before it may be trimmed.
func TestASnapshotMakesTheRestRedundant(t *testing.T) {
	t.Parallel()
	l, store, clock := fresh(t)
	ctx := t.Context()
	book(t, l, "old", slot("gpu", "i0", 1, 2, nil))
	if _, err := l.Cancel(ctx, "old", ""); err != nil {
		t.Fatal(err)
	}
	clock.Advance(9 * 24 * time.Hour)
	book(t, l, "b", slot("gpu", "i0", 300, 301, nil))
	if accepted, err := l.Accept(ctx, nclprotocol.RunExecution{ExecutionID: "x"}); !accepted || err != nil {
		t.Fatal(accepted, err)
	}
	l.SnapshotEvery(1)
	if changed, err := l.Change(ctx, "x", ledger.Outcome{State: nclprotocol.ExecutionRunning}); !changed || err != nil {
		t.Fatal(changed, err)
	}
	must(t, store.Trim(ctx, 5))
	again := open(t, store, clock)
	if x, _ := again.Execution("x"); x.State != nclprotocol.ExecutionRunning || len(again.Bookings()) != 1 {
		t.Errorf("execution %+v, bookings %v", x, again.Bookings())
	}
	if _, known := again.Booking("old"); known {
		t.Error("a booking that ended long ago is still known")
	}
	if _, known := again.Execution("old"); known {
		t.Error("an execution that ended long ago is still known")
	}
}
