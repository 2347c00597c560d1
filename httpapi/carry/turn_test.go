package carry

import (
	"sync"
	"sync/atomic"
	"testing"
)

// TestOneAtATimeSeesAllThatHappened: however it is woken, whoever is awake is alone, and nothing is left
// unseen when nobody is.
func TestOneAtATimeSeesAllThatHappened(t *testing.T) {
	t.Parallel()
	const wakers, rounds = 3, 2000
	var turn turn
	var happened, lookers atomic.Int32
	var seen int32 // of what happened
	var all sync.WaitGroup
	look := func() {
		if lookers.Add(1) != 1 {
			t.Error("two are awake")
		}
		for {
			turn.look()
			seen = happened.Load()
			lookers.Add(-1) // whoever is woken from here on is alone
			if turn.sleep() {
				return
			}
			if lookers.Add(1) != 1 {
				t.Error("somebody was woken beside one who is awake")
			}
		}
	}
	for range wakers {
		all.Go(func() {
			for range rounds {
				happened.Add(1)
				if turn.wake() {
					all.Go(look)
				}
			}
		})
	}
	all.Wait()
	if seen != wakers*rounds {
		t.Errorf("the last look was at %d of %d", seen, wakers*rounds)
	}
}
