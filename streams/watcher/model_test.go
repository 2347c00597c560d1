package watcher_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/streams/watcher"
)

// twin is a ledger as simple as can be.
type twin struct {
	kept        []string // of event n at n-1; empty: forgotten
	checkpoints map[string]uint64
}

func (m *twin) forget(through uint64) {
	for n := range min(through, uint64(len(m.kept))) {
		m.kept[n] = ""
	}
}

func (m *twin) page(after uint64, limit int) (found []string) {
	for n, e := range m.kept {
		if uint64(n) >= after && e != "" && len(found) < limit {
			found = append(found, e)
		}
	}
	return found
}

func entry(e watcher.Event) string {
	return fmt.Sprintf("%d %s %s %s", e.SeqNum, e.Operation, e.ObjectType, e.Object)
}

const keep = 12 // events at most

// TestStoresAreAsTheirTwin does whatever comes to a store and to its twin, and compares all answers.
func TestStoresAreAsTheirTwin(t *testing.T) {
	t.Parallel()
	for name, place := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) { newDuel(t, rt, place(t)).fight(rt, name == "bolt") })
		})
	}
}

// duel is a store and its twin.
type duel struct {
	store  watcher.EventStore
	reopen func() watcher.EventStore
	ledger string
	twin   twin
}

func newDuel(t *testing.T, rt *rapid.T, open opener) *duel {
	t.Helper()
	d := &duel{twin: twin{checkpoints: map[string]uint64{}}}
	d.reopen = func() watcher.EventStore { return open(t, watcher.WithMaxEvents(keep)) }
	d.store = d.reopen()
	d.ledger = d.store.LedgerID()
	rt.Cleanup(func() { _ = d.store.Close(context.Background()) })
	return d
}

func (d *duel) fight(rt *rapid.T, durable bool) {
	steps := map[string]func(*rapid.T){"append": d.append, "trim": d.trim, "checkpoint": d.checkpoint, "": d.compare}
	if durable {
		steps["reopen"] = func(rt *rapid.T) {
			if err := d.store.Close(context.Background()); err != nil {
				rt.Fatal(err)
			}
			d.store = d.reopen()
		}
	}
	rt.Repeat(steps)
}

var (
	names      = rapid.SampledFrom([]string{"a", "b"})
	positions  = rapid.Uint64Range(0, 30)
	operations = rapid.SampledFrom([]watcher.Operation{watcher.OperationCreate, watcher.OperationUpdate, watcher.OperationDelete})
)

func (d *duel) append(rt *rapid.T) {
	r := watcher.StoreEventRequest{
		Operation:  operations.Draw(rt, "operation"),
		ObjectType: rapid.StringN(1, 8, 40).Draw(rt, "type"),
		Object:     rapid.String().Draw(rt, "object"),
	}
	e, err := d.store.StoreEvent(context.Background(), r)
	if err != nil {
		rt.Fatal(err)
	}
	d.twin.kept = append(d.twin.kept, entry(e))
	d.twin.forget(uint64(max(len(d.twin.kept)-keep, 0)))
	if e.SeqNum != uint64(len(d.twin.kept)) || e.ObjectType != r.ObjectType || e.Operation != r.Operation {
		rt.Fatalf("stored as %+v", e)
	}
}

func (d *duel) trim(rt *rapid.T) {
	through := positions.Draw(rt, "through")
	if err := d.store.Trim(context.Background(), through); err != nil {
		rt.Fatal(err)
	}
	d.twin.forget(through)
}

func (d *duel) checkpoint(rt *rapid.T) {
	name, at := names.Draw(rt, "name"), positions.Draw(rt, "at")
	if err := d.store.StoreCheckpoint(context.Background(), name, at); err != nil {
		rt.Fatal(err)
	}
	d.twin.checkpoints[name] = at
}

// compare asks both.
func (d *duel) compare(rt *rapid.T) {
	ctx := context.Background()
	after, limit := positions.Draw(rt, "after"), rapid.IntRange(1, 20).Draw(rt, "limit")
	page, err := d.store.GetEvents(ctx, watcher.GetEventsRequest{AfterSeqNum: after, Limit: limit})
	var found []string
	for _, e := range page {
		found = append(found, entry(e))
	}
	if want := d.twin.page(after, limit); err != nil || !slices.Equal(found, want) {
		rt.Fatalf("after %d: %q, %v, want %q", after, found, err, want)
	}
	newest, err := d.store.GetLatestEventNum(ctx)
	if err != nil || newest != uint64(len(d.twin.kept)) {
		rt.Fatalf("newest: %d, %v, want %d", newest, err, len(d.twin.kept))
	}
	name := names.Draw(rt, "name")
	at, err := d.store.GetCheckpoint(ctx, name)
	want, known := d.twin.checkpoints[name]
	if at != want || known != (err == nil) || !known && !errors.Is(err, watcher.ErrCheckpointNotFound) {
		rt.Fatalf("checkpoint: %d, %v, want %d", at, err, want)
	}
	if d.store.LedgerID() != d.ledger {
		rt.Fatal("another ledger")
	}
}
