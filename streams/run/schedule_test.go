package run_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
)

// scheduled books occurrences of an hour of a workflow of one step on instance i.
func (r *replica) scheduled(t *testing.T, starts ...time.Time) schedule.Record {
	t.Helper()
	return r.taking(t, time.Hour, starts...)
}

// taking is scheduled, but of the instance each takes only the beginning.
func (r *replica) taking(t *testing.T, takes time.Duration, starts ...time.Time) schedule.Record {
	t.Helper()
	s := schedule.Record{
		Schedule: schedule.Schedule{
			ID: r.st.Plan.NewID(schedule.OfSchedule), WorkflowID: "w", State: schedule.Active, Request: json.RawMessage(`{"catch_up_s":60}`), CreatedBy: "token:t",
		},
		Workflow: json.RawMessage(`{"id":"w","graph":{"items":{"s":{"processing":{"command":["x"]}},"c":{"compute":{"id":"r","peer_id":"p"}}},"links":[{"source":"s","destination":"c"}]}}`),
	}
	id := r.st.Plan.NewID(schedule.OfBooking)
	for _, start := range starts {
		s.Occurrences = append(s.Occurrences, schedule.Occurrence{
			Nominal: start, Start: start, End: start.Add(time.Hour), State: schedule.Booked, Bookings: []schedule.Taken{
				{ID: id, ItemID: "c", Place: schedule.Place{PeerID: "p", ResourceID: "r", InstanceID: "i"}, Start: start, End: start.Add(takes)},
			},
		})
	}
	err := r.st.Plan.Try(t.Context(), func(context.Context, bool) (*plan.Commit, error) {
		c := r.st.Plan.NewCommit("somebody")
		for _, b := range s.Bookings(r.st.Now()) {
			c.Take(b, 0)
		}
		c.Timer(s.ID, starts[0], 0)
		c.Schedule(&s, 0)
		return c, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestAnOccurrenceBecomesARun at its time, exactly one, and gives back what it does not need.
func TestAnOccurrenceBecomesARun(t *testing.T) {
	t.Parallel()
	server, n := natstest.Start(t), newNodes()
	a, b := newReplica(t, server, n, 1), newReplica(t, server, n, 1)
	for _, r := range []*replica{a, b} {
		natstest.Run(t, r.Run)
	}
	now := a.st.Now()
	made := a.scheduled(t, now.Add(-2*time.Hour), now.Add(200*time.Millisecond), now.Add(3*time.Hour))
	var s schedule.Record
	natstest.Eventually(t, "the second one is completed", func() bool {
		var err error
		s, _, err = b.st.Plan.Schedule(t.Context(), made.ID)
		return err == nil && s.Occurrences[1].State == "completed"
	})
	if o := s.Occurrences[0]; o.State != schedule.Missed || o.RunID == nil {
		t.Errorf("%+v", o)
	}
	o := s.Occurrences[1]
	r, err := b.Get(t.Context(), *o.RunID)
	if err != nil || r.ScheduleID != s.ID || r.State != run.Completed || !r.Start.Equal(o.Start) || r.Work.CatchUpS != 60 {
		t.Errorf("%+v, %v", r, err)
	}
	if s.Occurrences[2].State != schedule.Booked || s.Occurrences[2].RunID != nil {
		t.Errorf("%+v", s.Occurrences[2])
	}
	stands, err := a.st.Plan.Standing(t.Context(), s.ID, s.Places())
	if err != nil {
		t.Fatal(err)
	}
	for place, is := range stands {
		for _, taken := range is.Intervals {
			if early := taken.Start.Before(now.Add(2 * time.Hour)); !is.Live || early && taken.End.After(r.EndedAt.Add(time.Millisecond)) {
				t.Errorf("%+v is taken from %v to %v, the run ended at %v", place, taken.Start, taken.End, r.EndedAt)
			}
		}
		if last := is.Intervals[len(is.Intervals)-1]; !last.Start.Equal(now.Add(3 * time.Hour)) {
			t.Errorf("what comes is not taken any more: %+v", is.Intervals)
		}
	}
	timer, err := a.Timer(t.Context(), s.ID)
	if err != nil || timer.Revision == 0 {
		t.Errorf("nothing wakes the schedule: %v", err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.ordered) != 1 {
		t.Errorf("%v", n.ordered)
	}
}

// TestAnOccurrenceGivesBackItsOwn: what another one takes meanwhile, within its window, stays.
func TestAnOccurrenceGivesBackItsOwn(t *testing.T) {
	t.Parallel()
	a := newReplica(t, natstest.Start(t), newNodes(), 1)
	natstest.Run(t, a.Run)
	start := a.st.Now().Add(100 * time.Millisecond)
	s := a.taking(t, 10*time.Minute, start, start.Add(20*time.Minute))
	natstest.Eventually(t, "the first one is completed", func() bool {
		now, _, err := a.st.Plan.Schedule(t.Context(), s.ID)
		return err == nil && now.Occurrences[0].State == "completed"
	})
	stands, err := a.st.Plan.Standing(t.Context(), s.ID, s.Places())
	if err != nil {
		t.Fatal(err)
	}
	other := s.Occurrences[1].Bookings[0]
	for _, is := range stands {
		if n := len(is.Intervals); n == 0 || !is.Intervals[n-1].Start.Equal(other.Start) || !is.Intervals[n-1].End.Equal(other.End) {
			t.Errorf("%+v stands, the second one takes %+v", is.Intervals, other)
		}
	}
}

// TestAScheduleThatOnlyWaits for its run is looked at again when that is over.
func TestAScheduleThatOnlyWaits(t *testing.T) {
	t.Parallel()
	n := newNodes()
	a := newReplica(t, natstest.Start(t), n, 1)
	natstest.Run(t, a.Run)
	s := a.scheduled(t, a.st.Now().Add(100*time.Millisecond))
	natstest.Eventually(t, "it is completed, and its timer set", func() bool {
		now, _, err := a.st.Plan.Schedule(t.Context(), s.ID)
		timer, lacks := a.Timer(t.Context(), s.ID)
		return err == nil && now.Occurrences[0].State == "completed" && lacks == nil && plan.Waits(timer, s.Occurrences[0].End)
	})
	if m, err := a.st.Plan.Stream().Keys(plan.Fired).Newest(t.Context(), kv.KeyOf(s.ID)); err != nil || m.Live() {
		t.Errorf("the message of its timer stands: %+v, %v", m, err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.looked > 0 {
		t.Errorf("it was looked at %d times", n.looked)
	}
}
