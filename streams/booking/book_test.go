package booking_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

var me = booking.Asked{WorkflowID: "wf", By: "me"}

// TestWhatIsBookedIsTaken on every replica, by schedules and holds alike, and free again once it was given back.
func TestWhatIsBookedIsTaken(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	a, b := newReplica(t, server.JetStream(t), 1), newReplica(t, server.JetStream(t), 1)
	has(t, "p", map[string]int{"i": 8}, a, b)
	has(t, "q", map[string]int{"i": 8}, a, b)
	needs(t, "wf", 5, []string{"p", "q"}, a, b)
	nine := tomorrow()
	s, err := a.Book(t.Context(), me, at(t, nine, `,"labels":{"k":"v"}`))
	if err != nil {
		t.Fatal(err)
	}
	o := s.Occurrences[0]
	if s.State != schedule.Active || s.CreatedBy != "me" || s.Labels["k"] != "v" || len(s.Occurrences) != 1 ||
		!o.Start.Equal(nine) || o.State != schedule.Booked || len(o.Bookings) != 2 || string(o.Bookings[0].Usage) != `{"ram_gb":5}` {
		t.Errorf("%+v", s)
	}
	taken := func(r *replica, start time.Time) bool {
		t.Helper()
		_, err := r.Hold(t.Context(), me, ask(t, schedule.HoldBody, `{"ttl_s":60,"duration_s":60,"start":"`+start.Format(time.RFC3339)+`"}`))
		var why *booking.TakenError
		if errors.As(err, &why) && (why.Result.Available || len(why.Result.Resources[0].Conflicts) == 0) {
			t.Errorf("refused for %+v", why.Result)
		}
		return errors.As(err, &why)
	}
	if !taken(b, nine.Add(59*time.Minute)) || taken(b, nine.Add(time.Hour)) || !taken(a, nine.Add(time.Hour)) {
		t.Error("what is booked or held is free, or what is not is taken")
	}
	if got, err := b.Get(t.Context(), s.ID); err != nil || len(got.Occurrences) != 1 || got.Occurrences[0].Bookings[0].ID != o.Bookings[0].ID {
		t.Errorf("%+v, %v", got, err)
	}
	for range 2 {
		if err := b.Cancel(t.Context(), s.ID, "somebody"); err != nil {
			t.Fatal(err)
		}
	}
	if taken(a, nine) {
		t.Error("what was cancelled is taken")
	}
	if got, err := a.Get(t.Context(), s.ID); err != nil || got.State != schedule.Cancelled || got.Occurrences[0].State != schedule.CancelledOccurrence {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestOneOfManyHasIt holds that of many who ask for the same at the same moment at three replicas, exactly one has it.
func TestOneOfManyHasIt(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	var fleet []*replica
	for range 3 {
		fleet = append(fleet, newReplica(t, server.JetStream(t), 1))
	}
	has(t, "p", map[string]int{"i": 1}, fleet...)
	has(t, "q", map[string]int{"i": 1}, fleet...)
	needs(t, "wf", 1, []string{"p", "q"}, fleet...)
	for round := range rounds {
		start := tomorrow().Add(time.Duration(round) * time.Hour)
		var wg sync.WaitGroup
		var won, lost atomic.Int32
		for n := range 20 {
			wg.Go(func() {
				_, err := fleet[n%3].Book(t.Context(), me, at(t, start, ""))
				var why *booking.TakenError
				switch {
				case err == nil:
					won.Add(1)
				case errors.As(err, &why) && why.Result.Resources[0].Conflicts[0].Free == 0:
					lost.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 || lost.Load() != 19 {
			t.Fatalf("round %d: %d have it, %d do not", round, won.Load(), lost.Load())
		}
	}
}

// TestManyBookAtOnce, each something of its own on one instance: all have it, and soon.
func TestManyBookAtOnce(t *testing.T) {
	t.Parallel()
	const many = 200
	server := natstest.Start(t)
	fleet := []*replica{newReplica(t, server.JetStream(t), 1), newReplica(t, server.JetStream(t), 1)}
	has(t, "p", map[string]int{"i": 1}, fleet...)
	needs(t, "wf", 1, []string{"p"}, fleet...)
	var wg sync.WaitGroup
	for n := range many {
		wg.Go(func() {
			if _, err := fleet[n%2].Book(t.Context(), me, at(t, tomorrow().Add(time.Duration(n)*time.Hour), "")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := fleet[0].Book(ctx, me, at(t, tomorrow(), "")); err == nil {
		t.Error("booked for one who is gone")
	}
}

// TestAHoldEndsOrBecomesASchedule on every replica.
func TestAHoldEndsOrBecomesASchedule(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	a, b := newReplica(t, server.JetStream(t), 1), newReplica(t, server.JetStream(t), 1)
	has(t, "p", map[string]int{"i": 1}, a, b)
	needs(t, "wf", 1, []string{"p"}, a, b)
	none, start := ask(t, schedule.ConfirmBody, "{}"), tomorrow()
	hold := func(ttl string) schedule.Hold {
		t.Helper()
		h, err := a.Hold(t.Context(), me, ask(t, schedule.HoldBody, `{"duration_s":60,"start":"`+start.Format(time.RFC3339)+`","ttl_s":`+ttl+`}`))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	h := hold("1")
	if h.State != schedule.Held || h.ScheduleID != nil {
		t.Errorf("%+v", h)
	}
	for _, r := range []*replica{a, b} { // each has its clock
		natstest.Eventually(t, "the hold ends", func() bool { _, err := r.GetHold(t.Context(), h.ID); return errors.Is(err, booking.ErrNotFound) })
	}
	if _, err := b.Confirm(t.Context(), h.ID, me, none); !errors.Is(err, booking.ErrGone) {
		t.Errorf("an ended hold is confirmed: %v", err)
	}
	if err := b.ReleaseHold(t.Context(), h.ID, "somebody"); err != nil {
		t.Errorf("an ended hold can't be released: %v", err)
	}

	h = hold("900")
	s, err := b.Confirm(t.Context(), h.ID, me, none)
	if err != nil || s.Occurrences[0].Bookings[0].ID != h.Bookings[0].ID {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, err := a.Confirm(t.Context(), h.ID, me, none); !errors.Is(err, booking.ErrConfirmed) {
		t.Errorf("confirmed again: %v", err)
	}
	if err := a.ReleaseHold(t.Context(), h.ID, "somebody"); err != nil {
		t.Error(err)
	}
	if got, err := a.GetHold(t.Context(), h.ID); err != nil || got.State != schedule.Confirmed || *got.ScheduleID != s.ID {
		t.Errorf("%+v, %v", got, err)
	}
	var why *booking.TakenError
	if _, err := a.Book(t.Context(), me, at(t, start, "")); !errors.As(err, &why) {
		t.Errorf("what was confirmed is free: %v", err)
	}
	if err := a.Cancel(t.Context(), s.ID, "somebody"); err != nil {
		t.Fatal(err)
	}
	h = hold("900")
	if err := b.ReleaseHold(t.Context(), h.ID, "somebody"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Book(t.Context(), me, at(t, start, "")); err != nil {
		t.Errorf("what was released is taken: %v", err)
	}
}

// TestAPlannerThatHasLessUndoesNoHold, though others have booked beside it since.
func TestAPlannerThatHasLessUndoesNoHold(t *testing.T) {
	t.Parallel()
	a := newReplica(t, natstest.Start(t).JetStream(t), 1)
	has(t, "p", map[string]int{"i": 2}, a)
	needs(t, "wf", 1, []string{"p"}, a)
	h, err := a.Hold(t.Context(), me, ask(t, schedule.HoldBody, `{"start":"`+tomorrow().Format(time.RFC3339)+`","duration_s":60,"ttl_s":900}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Book(t.Context(), me, at(t, tomorrow(), "")); err != nil {
		t.Fatal(err)
	}
	has(t, "p", map[string]int{"i": 1}, a)
	if _, err := a.Confirm(t.Context(), h.ID, me, ask(t, schedule.ConfirmBody, "{}")); err != nil {
		t.Error(err)
	}
}

// TestAWindowThatIsOverIsNotConfirmed: its run would be missed.
func TestAWindowThatIsOverIsNotConfirmed(t *testing.T) {
	t.Parallel()
	a := newReplica(t, natstest.Start(t).JetStream(t), 1)
	has(t, "p", map[string]int{"i": 1}, a)
	needs(t, "wf", 1, []string{"p"}, a)
	h, err := a.Hold(t.Context(), me, ask(t, schedule.HoldBody, `{"duration_s":1,"ttl_s":900}`))
	if err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the window is over", func() bool { return time.Since(h.End) > time.Second })
	var faults fault.List
	if _, err := a.Confirm(t.Context(), h.ID, me, ask(t, schedule.ConfirmBody, "{}")); !errors.As(err, &faults) {
		t.Errorf("it is confirmed: %v", err)
	}
}

// TestWhatIsRefused has its reason.
func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	r := newReplica(t, natstest.Start(t).JetStream(t), 1)
	has(t, "p", map[string]int{"i": 4}, r)
	needs(t, "wf", 5, []string{"p"}, r)
	needs(t, "elsewhere", 5, []string{"p", "nobody"}, r)
	needs(t, "small", 1, []string{"p", "nobody"}, r)
	var taken *booking.TakenError
	if _, err := r.Book(t.Context(), me, at(t, tomorrow(), "")); !errors.As(err, &taken) || taken.Result.NextSlot != nil {
		t.Errorf("above the capacity: %v", err)
	}
	if _, err := r.Book(t.Context(), booking.Asked{WorkflowID: "elsewhere"}, at(t, tomorrow(), "")); !errors.As(err, &taken) {
		t.Errorf("above the capacity, and a planner is missing: %v", err)
	}
	var missing *booking.MissingError
	if _, err := r.Book(t.Context(), booking.Asked{WorkflowID: "small"}, at(t, tomorrow(), "")); !errors.As(err, &missing) || missing.Result.MissingPlanners[0] != "nobody" {
		t.Errorf("a planner is missing: %v", err)
	}
	if _, err := r.Book(t.Context(), booking.Asked{WorkflowID: "none"}, at(t, tomorrow(), "")); !errors.Is(err, booking.ErrUnknownWorkflow) {
		t.Errorf("no workflow: %v", err)
	}
	var faults fault.List
	if _, err := r.Book(t.Context(), me, at(t, time.Now().Add(-time.Hour), "")); !errors.As(err, &faults) {
		t.Errorf("long ago: %v", err)
	}
	for _, err := range []error{
		r.Cancel(t.Context(), "s-1", "somebody"), r.ReleaseHold(t.Context(), "x", "somebody"), func() error { _, err := r.Get(t.Context(), "s-"); return err }(),
	} {
		if !errors.Is(err, booking.ErrNotFound) {
			t.Errorf("of no id: %v", err)
		}
	}
}
