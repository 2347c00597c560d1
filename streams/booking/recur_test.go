package booking_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

// states counts the occurrences of a schedule by state.
func states(s schedule.Schedule) map[schedule.OccurrenceState]int {
	n := map[schedule.OccurrenceState]int{}
	for _, o := range s.Occurrences {
		n[o.State]++
	}
	return n
}

// TestARecurringScheduleIsBookedAhead but for those occurrences that are taken, which alone are in conflict.
func TestARecurringScheduleIsBookedAhead(t *testing.T) {
	t.Parallel()
	r := newReplica(t, natstest.Start(t).JetStream(t), 1)
	has(t, "p", map[string]int{"i": 1}, r)
	needs(t, "wf", 1, []string{"p"}, r)
	day := func(n int) time.Time {
		return tomorrow().Truncate(24 * time.Hour).Add(time.Duration(24*n+9) * time.Hour)
	}
	if _, err := r.Book(t.Context(), me, at(t, day(3), "")); err != nil {
		t.Fatal(err)
	}
	from := fmt.Sprintf(`,"cron":"0 9 * * *","start":%q`, day(1).Add(-time.Hour).Format(time.RFC3339))
	ahead := func(more string) (schedule.Schedule, error) {
		return r.Book(t.Context(), me, ask(t, schedule.ScheduleBody, `{"duration_s":3600`+from+more+`}`))
	}
	var taken *booking.TakenError
	if _, err := ahead(`,"all_or_nothing":true`); !errors.As(err, &taken) || !taken.Result.Start.Equal(day(3)) {
		t.Errorf("all or nothing: %v", err)
	}
	s, err := ahead("")
	if err != nil {
		t.Fatal(err)
	}
	n := states(s)
	if n[schedule.Conflict] != 1 || n[schedule.Booked] < 11 || n[schedule.Booked] > 13 || s.Occurrences[2].State != schedule.Conflict {
		t.Errorf("%v", n)
	}
	ids := map[string]bool{}
	for _, o := range s.Occurrences {
		for _, b := range o.Bookings {
			ids[b.ID] = true
		}
	}
	if len(ids) != 1 {
		t.Errorf("one instance has bookings of ids %v", ids)
	}
	next, err := r.Next(t.Context(), s.ID, 40)
	if err != nil || len(next) != 40 || next[2].State != schedule.Conflict || next[39].State != "" || !next[39].Start.Equal(day(40)) {
		t.Errorf("%+v, %v", next, err)
	}
	if _, err := ahead(`,"count":5`); !errors.As(err, &taken) {
		t.Errorf("all of it is taken: %v", err)
	}
	if err := r.Cancel(t.Context(), s.ID, "somebody"); err != nil {
		t.Fatal(err)
	}
	s, err = ahead(`,"count":5`)
	if n := states(s); err != nil || n[schedule.Booked] != 4 || n[schedule.Conflict] != 1 {
		t.Errorf("%v, %v", n, err)
	}
	items, err := r.Preview(t.Context(), me, ask(t, schedule.ScheduleBody, `{"duration_s":3600`+from+`}`), 8)
	if err != nil || len(items) != 8 || items[4].Result.Available || !items[5].Result.Available {
		data, _ := json.Marshal(items)
		t.Errorf("%s, %v", data, err)
	}
}

// TestAScheduleGoesOnByItself with nobody but the timers to wake it: it is extended, passes over what falls due while
// it is paused, and ends.
func TestAScheduleGoesOnByItself(t *testing.T) {
	t.Parallel()
	r := newReplica(t, natstest.Start(t).JetStream(t), 1)
	natstest.Run(t, func(ctx context.Context) error { return r.st.Plan.OnDue(ctx, r.Due) })
	has(t, "p", map[string]int{"i": 1}, r)
	needs(t, "wf", 1, []string{"p"}, r)
	start := time.Now().Add(1500 * time.Millisecond)
	s, err := r.Book(t.Context(), me, ask(t, schedule.ScheduleBody, fmt.Sprintf(`{"start":%q,"duration_s":0.5}`, start.Format(time.RFC3339Nano))))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Pause(t.Context(), s.ID, "somebody"); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the schedule ends", func() bool {
		s, err = r.Get(t.Context(), s.ID)
		return err == nil && s.State == schedule.Ended
	})
	if s.Occurrences[0].State != schedule.Skipped {
		t.Errorf("%+v", s)
	}
	if err := r.Resume(t.Context(), s.ID, "somebody"); !errors.Is(err, booking.ErrEnded) {
		t.Errorf("resumed after its end: %v", err)
	}
	natstest.Eventually(t, "nothing of it is left", func() bool { return r.st.Plan.Overlay("p") == nil })
}

// TestAPauseIsPassedOver holds that what is booked ahead stays, and is extended again after it.
func TestAPauseIsPassedOver(t *testing.T) {
	t.Parallel()
	r := newReplica(t, natstest.Start(t).JetStream(t), 1)
	has(t, "p", map[string]int{"i": 1}, r)
	needs(t, "wf", 1, []string{"p"}, r)
	s, err := r.Book(t.Context(), me, ask(t, schedule.ScheduleBody, `{"duration_s":60,"cron":"*/5 * * * *"}`))
	if err != nil || len(s.Occurrences) != schedule.AheadMax {
		t.Fatalf("%d, %v", len(s.Occurrences), err)
	}
	for range 2 {
		if err := errors.Join(r.Pause(t.Context(), s.ID, "somebody"), r.Due(t.Context(), s.ID, 0)); err != nil {
			t.Fatal(err)
		}
	}
	paused, err := r.Get(t.Context(), s.ID)
	if err != nil || paused.State != schedule.Paused || states(paused)[schedule.Booked] < schedule.AheadMax-1 {
		t.Errorf("%v, %v", states(paused), err)
	}
	for range 2 {
		if err := r.Resume(t.Context(), s.ID, "somebody"); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := r.Get(t.Context(), s.ID); err != nil || s.State != schedule.Active || states(s)[schedule.Booked] != schedule.AheadMax {
		t.Errorf("%v, %v", states(s), err)
	}
}

// TestWhatAPlannerCanNoLongerHoldIsAtRisk until it can again, and is undone by nobody but who booked it.
func TestWhatAPlannerCanNoLongerHoldIsAtRisk(t *testing.T) {
	t.Parallel()
	r := newReplica(t, natstest.Start(t).JetStream(t), 1)
	has(t, "p", map[string]int{"i": 8}, r)
	needs(t, "wf", 4, []string{"p"}, r)
	start := tomorrow()
	var list []schedule.Schedule
	for range 2 {
		s, err := r.Book(t.Context(), me, at(t, start, ""))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	for _, step := range []struct {
		capacities map[string]int
		risk       bool
	}{{map[string]int{"i": 7}, true}, {map[string]int{"other": 8}, true}, {map[string]int{"i": 8}, false}} {
		has(t, "p", step.capacities, r)
		for _, s := range list {
			got, err := r.Get(t.Context(), s.ID)
			if err != nil || got.AtRisk != step.risk || got.Occurrences[0].AtRisk != step.risk || got.Occurrences[0].State != schedule.Booked {
				t.Errorf("with %v: %+v, %v", step.capacities, got, err)
			}
		}
	}
	has(t, "p", map[string]int{"i": 4}, r)
	if err := r.Cancel(t.Context(), list[0].ID, "somebody"); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Get(t.Context(), list[1].ID); err != nil || got.AtRisk {
		t.Errorf("alone on what is left: %+v, %v", got, err)
	}
}
