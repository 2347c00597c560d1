package planners

import (
	"strconv"
	"testing"
)

func TestHeadsAreBounded(t *testing.T) {
	t.Parallel()
	h := newHeads()
	for i := range 3*maxHeads + 1 {
		h.put(strconv.Itoa(i), life{revision: uint64(i) + 1})
		if len(h.of) > maxHeads {
			t.Fatalf("%d heads", len(h.of))
		}
	}
	last := strconv.Itoa(3 * maxHeads)
	if _, ok := h.get(last); !ok {
		t.Error("the newest is not remembered")
	}
	h.seen(last, 3*maxHeads, false)
	if _, ok := h.get(last); !ok {
		t.Error("forgotten though the view lags behind")
	}
	h.seen(last, 3*maxHeads+1, false)
	if _, ok := h.get(last); ok {
		t.Error("remembered though the view shows it")
	}
	h.put("p", life{revision: 9})
	h.seen("p", 0, true)
	if _, ok := h.get("p"); ok {
		t.Error("remembered though the peer was removed")
	}
}

// TestTheOwnWriteIsKnownWhileTheViewTakesItIn has the view take it in just after it was looked at.
func TestTheOwnWriteIsKnownWhileTheViewTakesItIn(t *testing.T) {
	t.Parallel()
	h := newHeads()
	h.put("p", life{revision: 7})
	overtaken := func() (life, bool) {
		defer h.seen("p", 7, false)
		return life{revision: 6}, true
	}
	if newest, known := h.newest("p", overtaken); !known || newest.revision != 7 {
		t.Errorf("takes %d for the newest, %v; want 7", newest.revision, known)
	}
	shown := func() (life, bool) { return life{revision: 7}, true }
	if newest, known := h.newest("p", shown); !known || newest.revision != 7 {
		t.Errorf("then %d, %v; want 7", newest.revision, known)
	}
}
