package nclprotocol_test

import (
	"sync"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/streams/nclprotocol"
)

func TestSequenceTracker(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tracker, want := nclprotocol.NewSequenceTracker(), uint64(0)
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				if have := tracker.LastSequence(); have != want {
					t.Fatalf("%d, want %d", have, want)
				}
			},
			"processed": func(t *rapid.T) {
				n := rapid.Uint64Range(0, 20).Draw(t, "n")
				tracker.Processed(n)
				want = max(want, n)
			},
			"reset": func(t *rapid.T) {
				want = rapid.Uint64Range(0, 20).Draw(t, "n")
				tracker.Reset(want)
			},
		})
	})
}

// Whatever the order in which several report, the last one counts.
func TestSequenceTrackerConcurrently(t *testing.T) {
	t.Parallel()
	tracker := nclprotocol.NewSequenceTracker()
	var all sync.WaitGroup
	for first := range uint64(8) {
		all.Go(func() {
			for n := first; n <= 8000; n += 8 {
				tracker.Processed(n)
			}
		})
	}
	all.Wait()
	if have := tracker.LastSequence(); have != 8000 {
		t.Errorf("%d, want 8000", have)
	}
}
