package booking_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

const (
	yields = `,"preemptible":true`
	takes  = `,"booking_mode":"preempted"`
)

// of asks for a workflow.
func of(workflowID string) booking.Asked { return booking.Asked{WorkflowID: workflowID, By: "me"} }

// sized stores workflows of which each takes as many gigabytes of each of some peers as its name says.
func sized(t testing.TB, peers []string, fleet ...*replica) {
	t.Helper()
	for n := 1; n <= 8; n++ {
		needs(t, fmt.Sprint("take", n), n, peers, fleet...)
	}
}

// books books and fails the test when it can't be.
func books(t testing.TB, r *replica, workflowID string, asked schedule.Request) schedule.Schedule {
	t.Helper()
	s, err := r.Book(t.Context(), of(workflowID), asked)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// stand tells the states of schedules and of their first occurrences, as a replica has them.
func stand(t testing.TB, r *replica, schedules ...schedule.Schedule) (told string) {
	t.Helper()
	for _, s := range schedules {
		got, err := r.Get(t.Context(), s.ID)
		if err != nil {
			t.Fatal(err)
		}
		told += fmt.Sprintf("%s/%s ", got.State, got.Occurrences[0].State)
	}
	return strings.TrimSpace(told)
}

// TestTheNewestThatYieldGiveWay and no more of them than have to, in one commit with what takes their places.
func TestTheNewestThatYieldGiveWay(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	a, b := newReplica(t, server.JetStream(t), 1), newReplica(t, server.JetStream(t), 1)
	has(t, "p", map[string]int{"i": 8}, a, b)
	sized(t, []string{"p"}, a, b)
	const kept, gone = "active/booked", "ended/displaced"
	for day, c := range []struct {
		about  string
		stands []int // what is booked before, the oldest first; what is below zero does not yield
		takes  int
		want   string
	}{
		{"the newest", []int{2, 3, 3}, 3, kept + " " + kept + " " + gone},
		{"two", []int{2, 3, 3}, 5, kept + " " + gone + " " + gone},
		{"not one that is too small", []int{3, 4, 1}, 4, kept + " " + gone + " " + kept},
		{"not what does not yield", []int{4, -4}, 3, gone + " " + kept},
		{"all", []int{4, 4}, 8, gone + " " + gone},
		{"nothing where it is not enough", []int{4, -4}, 5, kept + " " + kept},
		{"nothing where there is room", []int{4}, 4, kept},
	} {
		start := tomorrow().Add(time.Duration(day) * 24 * time.Hour)
		var before []schedule.Schedule
		for _, n := range c.stands {
			more := yields
			if n < 0 {
				n, more = -n, ""
			}
			before = append(before, books(t, a, fmt.Sprint("take", n), at(t, start, more)))
		}
		made, err := b.Book(t.Context(), of(fmt.Sprint("take", c.takes)), at(t, start.Add(30*time.Minute), takes))
		var taken *booking.TakenError
		if errors.As(err, &taken) != strings.Contains(c.about, "not enough") || taken == nil && err != nil {
			t.Errorf("%s: %v", c.about, err)
		}
		if taken != nil && (taken.Result.Available || taken.Result.Preemptible || len(taken.Result.Resources[0].Conflicts[0].By) != 2) {
			t.Errorf("%s: refused with %s", c.about, taken.Result.JSON())
		}
		if got := stand(t, a, before...); got != c.want {
			t.Errorf("%s: %s, want %s", c.about, got, c.want)
		}
		for _, s := range before {
			got, err := b.Get(t.Context(), s.ID)
			if err != nil || (got.State == schedule.Ended) != strings.HasPrefix(got.Reason, "displaced: ") {
				t.Errorf("%s: %+v, %v", c.about, got, err)
			}
			timer, err := b.st.Plan.Stream().Keys(plan.Due).Newest(t.Context(), kv.KeyOf(s.ID))
			if err != nil || timer.Live() == (got.State == schedule.Ended) {
				t.Errorf("%s: a schedule that is %s has timer %v, %v", c.about, got.State, timer, err)
			}
		}
		for _, s := range append(before, made) {
			if err := a.Cancel(t.Context(), s.ID, "me"); err != nil && s.ID != "" {
				t.Error(err)
			}
		}
	}
	natstest.Eventually(t, "nothing is left", func() bool { return a.st.Plan.Overlay("p") == nil && b.st.Plan.Overlay("p") == nil })
}

// TestOneTimeOfManyGivesWay with all that it has, on other peers too; the other times stay.
func TestOneTimeOfManyGivesWay(t *testing.T) {
	t.Parallel()
	r := newReplica(t, natstest.Start(t).JetStream(t), 1)
	has(t, "p", map[string]int{"i": 1}, r)
	has(t, "q", map[string]int{"i": 1}, r)
	needs(t, "both", 1, []string{"p", "q"}, r)
	needs(t, "one", 1, []string{"p"}, r)
	needs(t, "other", 1, []string{"q"}, r)
	day := func(n int) time.Time {
		return tomorrow().Truncate(24 * time.Hour).Add(time.Duration(24*n+9) * time.Hour)
	}
	many := books(t, r, "both", ask(t, schedule.ScheduleBody, fmt.Sprintf(`{"cron":"0 9 * * *","count":5,"duration_s":3600,"start":%q%s}`, day(1).Format(time.RFC3339), yields)))
	h, err := r.Hold(t.Context(), of("one"), ask(t, schedule.HoldBody, fmt.Sprintf(`{"start":%q,"duration_s":60,"ttl_s":900%s}`, day(2).Format(time.RFC3339), takes)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Get(t.Context(), many.ID)
	if n := states(got); err != nil || got.State != schedule.Active || n[schedule.Booked] != 4 || got.Occurrences[1].State != schedule.Displaced {
		t.Errorf("%v, %v", n, err)
	}
	books(t, r, "other", at(t, day(2), ""))
	var taken *booking.TakenError
	if _, err := r.Book(t.Context(), of("other"), at(t, day(3), "")); !errors.As(err, &taken) {
		t.Errorf("a time that did not give way is free: %v", err)
	}
	if _, err := r.Book(t.Context(), of("one"), at(t, day(2), takes)); !errors.As(err, &taken) || taken.Result.Resources[0].Conflicts[0].By[0].HoldID != h.ID {
		t.Errorf("a hold gives way: %v", err)
	}
	all := books(t, r, "one", ask(t, schedule.ScheduleBody, fmt.Sprintf(`{"cron":"0 9 * * *","count":5,"duration_s":60,"start":%q%s}`, day(1).Format(time.RFC3339), takes)))
	if n := states(all); n[schedule.Booked] != 4 || n[schedule.Conflict] != 1 {
		t.Errorf("%v", n)
	}
	if got, err := r.Get(t.Context(), many.ID); err != nil || states(got)[schedule.Displaced] != 5 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestWhatWasConfirmedYields if its confirmation says so.
func TestWhatWasConfirmedYields(t *testing.T) {
	t.Parallel()
	r := newReplica(t, natstest.Start(t).JetStream(t), 1)
	has(t, "p", map[string]int{"i": 1}, r)
	needs(t, "wf", 1, []string{"p"}, r)
	h, err := r.Hold(t.Context(), me, ask(t, schedule.HoldBody, fmt.Sprintf(`{"start":%q,"duration_s":60,"ttl_s":900}`, tomorrow().Format(time.RFC3339))))
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.Confirm(t.Context(), h.ID, me, ask(t, schedule.ConfirmBody, `{"preemptible":true,"catch_up_s":7}`))
	if err != nil {
		t.Fatal(err)
	}
	if asked, err := schedule.DecodeRequest(s.Request, schedule.ScheduleBody); err != nil || asked.CatchUp != 7*time.Second || !asked.Preemptible {
		t.Errorf("its request is %s: %v", s.Request, err)
	}
	books(t, r, "wf", at(t, tomorrow(), takes))
	if got := stand(t, r, s); got != "ended/displaced" {
		t.Error(got)
	}
}
