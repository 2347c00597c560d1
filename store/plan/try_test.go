package plan

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/schedule"
)

// TestWhoIsOvertakenTooOften is told so, and who takes too long by himself, too: NATS is well, and nothing was written.
func TestWhoIsOvertakenTooOften(t *testing.T) {
	t.Parallel()
	for overtaken, want := range map[int]error{0: ErrSlow, 1: ErrContended, 3: ErrContended} {
		t.Run(fmt.Sprint(overtaken), func(t *testing.T) {
			t.Parallel()
			p := open(t, natstest.Start(t))
			take := func() *Commit {
				now := p.Now()
				c := p.NewCommit("somebody")
				c.Take(schedule.Booking{
					ID: p.NewID(schedule.OfBooking), WorkflowID: "w", ScheduleID: p.NewID(schedule.OfSchedule),
					Place:     schedule.Place{PeerID: "p", ResourceID: "r", InstanceID: "i"},
					Intervals: []schedule.Interval{{Start: now, End: now.Add(time.Hour), ItemID: "n"}},
				}, 0)
				return c
			}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			n := 0
			err := p.Try(ctx, func(ctx context.Context, _ bool) (*Commit, error) {
				c := take()
				if n++; n > overtaken {
					<-ctx.Done() // it is large
				} else if err := p.Try(t.Context(), func(context.Context, bool) (*Commit, error) { return take(), nil }); err != nil {
					t.Error(err)
				}
				return c, nil
			})
			if !errors.Is(err, want) || errors.Is(err, kv.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) || n != overtaken+1 {
				t.Errorf("%v after %d", err, n)
			}
		})
	}
}
