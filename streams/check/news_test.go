package check

import (
	"sync"
	"sync/atomic"
	"testing"
)

// TestNewsAreLookedAtByOneAtATime: however news come in, whoever is woken is alone, and nothing that has
// happened is left unseen when all sleep.
func TestNewsAreLookedAtByOneAtATime(t *testing.T) {
	t.Parallel()
	const rounds = 2000
	var n news
	var told [3]atomic.Int64 // how often each kind has happened, and
	var seen [3]int64        // how often it had when it was looked at last
	var lookers atomic.Int32
	var all sync.WaitGroup
	look := func() {
		if lookers.Add(1) != 1 {
			t.Error("two are awake")
		}
		for {
			kinds := n.look()
			for i := range seen {
				if kinds&(1<<i) != 0 {
					seen[i] = told[i].Load()
				}
			}
			if kinds == 0 {
				lookers.Add(-1) // whoever is woken from here on is alone
				if n.sleep() {
					return
				}
				if lookers.Add(1) != 1 {
					t.Error("somebody was woken beside one who is awake")
				}
			}
		}
	}
	for i := range told {
		all.Go(func() {
			for range rounds {
				told[i].Add(1)
				if _, wake := n.add(1 << i); wake {
					all.Go(look)
				}
			}
		})
	}
	all.Wait()
	for i := range seen {
		if seen[i] != rounds {
			t.Errorf("kind %d: the last look was at %d of %d", i, seen[i], rounds)
		}
	}
}

func TestNewsOfAKindAreKnownOnce(t *testing.T) {
	t.Parallel()
	var n news
	if known, wake := n.add(said); known || !wake {
		t.Errorf("the first: known %t, wake %t", known, wake)
	}
	if known, wake := n.add(said); !known || wake {
		t.Errorf("the second: known %t, wake %t", known, wake)
	}
	if known, wake := n.add(plannersChanged); known || wake {
		t.Errorf("another kind: known %t, wake %t", known, wake)
	}
	if kinds := n.look(); kinds != said|plannersChanged {
		t.Errorf("a look sees %b", kinds)
	}
	if known, wake := n.add(said); known || wake {
		t.Errorf("after a look: known %t, wake %t", known, wake)
	}
	if n.sleep() {
		t.Error("asleep over news")
	}
	if n.look(); !n.sleep() {
		t.Error("awake without news")
	}
}
