package nclprotocol_test

import (
	"context"
	"errors"
	"testing"

	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

func TestCheckpointer(t *testing.T) {
	t.Parallel()
	store := watcher.NewMemoryStore()
	c := nclprotocol.NewCheckpointer(store)
	if last, err := c.GetCheckpoint(t.Context(), "a"); err != nil || last != 0 {
		t.Errorf("never stored: %d, %v", last, err)
	}
	for _, n := range []uint64{7, 3} { // it may go back
		if err := c.Checkpoint(t.Context(), "a", n); err != nil {
			t.Fatal(err)
		}
		if last, err := c.GetCheckpoint(t.Context(), "a"); err != nil || last != n {
			t.Errorf("%d, want %d: %v", last, n, err)
		}
	}
	if last, err := c.GetCheckpoint(t.Context(), "b"); err != nil || last != 0 {
		t.Errorf("another name: %d, %v", last, err)
	}
	if err := store.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.GetCheckpoint(t.Context(), "a"); !errors.Is(err, watcher.ErrClosed) {
		t.Errorf("closed store: %v", err)
	}
	if err := c.Checkpoint(t.Context(), "a", 8); !errors.Is(err, watcher.ErrClosed) {
		t.Errorf("closed store: %v", err)
	}
}
