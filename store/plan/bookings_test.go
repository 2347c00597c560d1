package plan

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/schedule"
)

// TestBookingsAreToldOf by peer, once an overlay shows them, also when a hold ends by itself.
func TestBookingsAreToldOf(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	p := open(t, s)
	var mu sync.Mutex
	var seen []string // with each call: the peer, and who takes something of it
	p.OnBookings(func(peerID string) {
		mu.Lock()
		defer mu.Unlock()
		said := peerID
		x, err := planner.New(map[planner.Ref][]planner.Quantity{{ResourceID: "r", InstanceID: "i.1"}: nil}, nil)
		if err != nil {
			t.Error(err)
			return
		}
		owners, _ := planner.NewIndex(x).With(p.Overlay(peerID)).Resource("r").Instance("i.1").Occupants(0, p.Now().Add(time.Hour).UnixNano())
		for _, owner := range owners {
			said += " " + owner[:2]
		}
		seen = append(seen, said)
	})
	now := p.Now()
	take := func(owner schedule.Booking) {
		t.Helper()
		err := p.Try(t.Context(), func(context.Context, bool) (*Commit, error) {
			owner.ID, owner.WorkflowID = p.NewID(schedule.OfBooking), "w"
			owner.Place = schedule.Place{PeerID: "peer a", ResourceID: "r", InstanceID: "i.1"}
			owner.Intervals = []schedule.Interval{{Start: now, End: now.Add(time.Hour), ItemID: "n"}}
			c := p.NewCommit("somebody")
			c.Take(owner, 0)
			return c, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	take(schedule.Booking{ScheduleID: p.NewID(schedule.OfSchedule)})
	take(schedule.Booking{HoldID: p.NewID(schedule.OfHold), ExpiresAt: p.Now().Add(2 * time.Second)})
	natstest.Eventually(t, "the end of the hold is told", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(seen) == 3
	})
	if want := []string{"peer a s-", "peer a h- s-", "peer a s-"}; !slices.Equal(seen, want) {
		t.Errorf("told of %q, want %q", seen, want)
	}
}
