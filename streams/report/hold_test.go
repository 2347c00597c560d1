package report_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/history"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
)

// TestAHoldThatIsConfirmed passes what it has to the schedule: nothing is removed on the bus.
func TestAHoldThatIsConfirmed(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	r, bus := newReplica(t, s), listen(t, s)
	r.tell(t)
	h := r.holds(t, time.Minute)
	bus.await(t, 1)
	booking, revision := r.stands(t, h)
	made := &schedule.Record{Schedule: schedule.Schedule{
		ID: r.NewID(schedule.OfSchedule), WorkflowID: "w", State: schedule.Active,
		Occurrences: []schedule.Occurrence{{Nominal: h.Start, Start: h.Start, End: h.End, State: schedule.Booked, Bookings: h.Bookings}},
	}}
	r.commit(t, func(c *plan.Commit) {
		c.Take(made.Bookings(h.Start)[0], 0)
		c.Confirm(made, h, revision)
		c.Free(h.Takes()[0], booking)
	})
	log := r.awaitPast(t, history.OfHold, h.ID, 2)
	if len(log) != 2 || log[0].From != "" || log[0].To != "held" || log[1].From != "held" || log[1].To != "confirmed" ||
		log[1].By != "token:t" || !strings.Contains(log[1].Reason, made.ID) {
		t.Errorf("the hold: %+v", log)
	}
	log = r.awaitPast(t, history.OfSchedule, made.ID, 2)
	if len(log) != 2 || log[0].Kind != history.OfSchedule || log[0].To != "active" || log[1].Kind != history.OfOccurrence || log[1].To != "booked" {
		t.Errorf("the schedule: %+v", log)
	}
	list := bus.await(t, 2)
	for i, owner := range []string{h.ID, made.ID} {
		if x := list[i]; x.subject != events.CreateResource || x.datatype != "BOOKING" || !slices.Equal(x.groups, []string{"g"}) ||
			!strings.Contains(x.payload, `"`+owner+`"`) || !strings.Contains(x.payload, `"id":"`+h.Bookings[0].ID+`"`) || !strings.Contains(x.payload, `"usage":{"ram_gb":1}`) {
			t.Errorf("said: %+v", x)
		}
	}
	r.cancel(t, made)
	list = bus.await(t, 3)
	if x := list[len(list)-1]; len(list) != 3 || x.subject != events.RemoveResource || !strings.Contains(x.payload, `"id":"`+h.Bookings[0].ID+`"`) || !strings.Contains(x.payload, made.ID) {
		t.Errorf("said in the end: %+v", list)
	}
}

// cancel frees what a schedule has booked.
func (r *replica) cancel(t *testing.T, made *schedule.Record) {
	t.Helper()
	b := made.Bookings(time.Time{})[0]
	standing, err := r.Standing(t.Context(), made.ID, []schedule.Place{b.Place})
	if err != nil {
		t.Fatal(err)
	}
	r.commit(t, func(c *plan.Commit) { c.Free(b, standing[b.Place].Revision) })
}

// TestAHoldThatEndsThoughNobodyLives is told of all the same: with what was said of it before, and without.
func TestAHoldThatEndsThoughNobodyLives(t *testing.T) {
	t.Parallel()
	for name, told := range map[string]bool{"told before": true, "never told": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := natstest.Start(t)
			r, bus := newReplica(t, s), listen(t, s)
			die := func() {}
			if told {
				die = r.tell(t)
			}
			h := r.holds(t, 2*time.Second)
			if told {
				bus.await(t, 1)
				r.awaitPast(t, history.OfHold, h.ID, 1)
			}
			die()
			natstest.Eventually(t, "it has ended", func() bool {
				m, err := r.Stream().Keys(plan.Holds).Newest(t.Context(), kv.KeyOf(h.ID))
				return err == nil && m.Revision > 0 && !m.Live()
			})
			natstest.Eventually(t, "what it took is free", func() bool {
				standing, err := r.Standing(t.Context(), h.ID, []schedule.Place{h.Bookings[0].Place})
				return err == nil && !standing[h.Bookings[0].Place].Live
			})
			r.tell(t)
			log := r.awaitPast(t, history.OfHold, h.ID, 2)
			if len(log) != 2 || log[0].To != "held" || log[1].From != "held" || log[1].To != "expired" || log[1].By != "scheduler" || log[1].At.Before(h.ExpiresAt) {
				t.Errorf("history: %+v", log)
			}
			natstest.Eventually(t, "its end is said", func() bool {
				return slices.ContainsFunc(bus.all(), func(x said) bool {
					return x.subject == events.RemoveResource && strings.Contains(x.payload, `"hold_id":"`+h.ID+`"`) &&
						strings.Contains(x.payload, `"peer_id":"peer a"`) && (!told || strings.Contains(x.payload, h.Bookings[0].ID))
				})
			})
		})
	}
}

// TestAHoldThatIsReleasedAtOnce has both transitions, though nobody may have seen it stand.
func TestAHoldThatIsReleasedAtOnce(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	r, bus := newReplica(t, s), listen(t, s)
	h := r.holds(t, time.Minute)
	booking, revision := r.stands(t, h)
	r.commit(t, func(c *plan.Commit) {
		c.Release(h, revision)
		c.Free(h.Takes()[0], booking)
	})
	r.tell(t)
	log := r.awaitPast(t, history.OfHold, h.ID, 2)
	if len(log) != 2 || log[0].To != "held" || log[1].To != "released" || log[1].By != "token:t" {
		t.Errorf("history: %+v", log)
	}
	if x := bus.await(t, 1)[0]; x.subject != events.RemoveResource || !strings.Contains(x.payload, h.Bookings[0].ID) {
		t.Errorf("said: %+v", x)
	}
}
