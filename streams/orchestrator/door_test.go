package orchestrator

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

func TestTheDoor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newDoor()
		come := func(nodeID string, want bool) {
			t.Helper()
			if got := d.enter(nodeID); got != want {
				t.Errorf("%s comes in: %v", nodeID, got)
			}
		}
		come("n", true)
		come("n", false) // it is inside
		come("other", true)
		d.leave("n")
		for range handshakesInARow - 1 {
			come("n", true)
			d.leave("n")
		}
		come("n", false) // it was too often
		time.Sleep(time.Second)
		come("n", true)

		for i := range 3 * doorKeeps {
			nodeID := fmt.Sprint(i)
			come(nodeID, true)
			d.leave(nodeID)
			time.Sleep(10 * time.Millisecond)
		}
		if len(d.guests) > doorKeeps {
			t.Errorf("%d nodes are remembered", len(d.guests))
		}
		come("n", false) // it is inside still
	})
}
