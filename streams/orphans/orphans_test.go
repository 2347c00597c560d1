package orphans_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
	"oc-scheduler/streams/orphans"
)

func TestMain(m *testing.M) { natstest.VerifyTestMain(m) }

func open(t *testing.T, s *natstest.Server) *store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), s.JetStream(t), store.Config{}, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// noRuns has none.
type noRuns struct{}

func (noRuns) CancelOf(context.Context, string, run.Cancel, bool) error { return nil }

func books(t *testing.T, st *store.Store, workflowID string) (scheduleID string) {
	t.Helper()
	e, err := st.Workflows.Get(t.Context(), workflowID)
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		t.Fatal(err)
	}
	scheduleID = st.Plan.NewID(schedule.OfSchedule)
	err = st.Plan.Try(t.Context(), func(context.Context, bool) (*plan.Commit, error) {
		c := st.Plan.NewCommit("somebody")
		c.Schedule(&schedule.Record{
			Schedule: schedule.Schedule{ID: scheduleID, WorkflowID: workflowID, State: schedule.Active, Request: []byte("{}")},
			Workflow: []byte("{}"), WorkflowAfter: e.Value.After,
		}, 0)
		return c, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return scheduleID
}

func puts(t *testing.T, st *store.Store, workflowID string) {
	t.Helper()
	raw := []byte(`{"id":"` + workflowID + `","graph":{"items":{}}}`)
	if _, _, _, err := st.Workflows.Put(t.Context(), workflowID, raw, store.Author{Subject: access.Anonymous, Keep: true}, store.Condition{}); err != nil {
		t.Fatal(err)
	}
}

func removes(t *testing.T, st *store.Store, workflowID string) {
	t.Helper()
	if err := st.Workflows.Delete(t.Context(), workflowID, access.Anonymous, store.Condition{}); err != nil {
		t.Fatal(err)
	}
}

// holds has something held for a workflow, which follows the removal after.
func holds(t *testing.T, st *store.Store, workflowID string, after time.Time) (holdID string) {
	t.Helper()
	holdID = st.Plan.NewID(schedule.OfHold)
	err := st.Plan.Try(t.Context(), func(context.Context, bool) (*plan.Commit, error) {
		c := st.Plan.NewCommit("somebody")
		c.Hold(&schedule.HoldRecord{
			Hold:          schedule.Hold{ID: holdID, WorkflowID: workflowID, State: schedule.Held, ExpiresAt: st.Plan.Now().Add(time.Hour)},
			WorkflowAfter: after,
		}, 0)
		return c, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return holdID
}

// TestWhoeverLivesEndsThem: the replica that removed the workflow is gone, and another one booked at that moment.
func TestWhoeverLivesEndsThem(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	dead := open(t, server)
	dies := natstest.Run(t, dead.Run)
	natstest.Receive(t, dead.Plan.Loaded())
	for _, id := range []string{"wf-1", "wf-2"} {
		puts(t, dead, id)
	}
	removed, stays := books(t, dead, "wf-1"), books(t, dead, "wf-2")
	removes(t, dead, "wf-1")
	dies()

	for range 2 {
		st := open(t, server)
		bookings := booking.New(st, nil)
		natstest.Run(t, orphans.New(st, bookings, noRuns{}, slog.New(slog.DiscardHandler)).Run)
		natstest.Run(t, st.Run)
		natstest.Receive(t, st.Plan.Loaded())
		late := books(t, st, "wf-1")
		for _, id := range []string{removed, late} {
			natstest.Eventually(t, "it has ended", func() bool {
				e, ok := st.Plan.Schedules().Get(id)
				return ok && e.Value.State == schedule.Ended
			})
			r, _, err := st.Plan.Schedule(t.Context(), id)
			if err != nil || len(r.Log) != 2 {
				t.Errorf("it ended as %+v, %v", r.Log, err)
			}
		}
		if e, _ := st.Plan.Schedules().Get(stays); e.Value.State != schedule.Active {
			t.Errorf("a schedule whose workflow stands is %s", e.Value.State)
		}
	}
}

// TestAWorkflowThatIsBackIsAnother, however soon: what was booked for the one before has ended with it, and what is
// booked for this one stands, whatever the clocks say. It does not matter who sees what of it.
func TestAWorkflowThatIsBackIsAnother(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	st := open(t, server)
	natstest.Run(t, orphans.New(st, booking.New(st, nil), noRuns{}, slog.New(slog.DiscardHandler)).Run)
	natstest.Run(t, st.Run)
	natstest.Receive(t, st.Plan.Loaded())
	for range 20 {
		puts(t, st, "wf")
		e, err := st.Workflows.Get(t.Context(), "wf")
		if err != nil {
			t.Fatal(err)
		}
		scheduled, held := books(t, st, "wf"), holds(t, st, "wf", e.Value.After)
		removes(t, st, "wf")
		puts(t, st, "wf")
		stays := books(t, st, "wf")
		if e, err = st.Workflows.Get(t.Context(), "wf"); err != nil {
			t.Fatal(err)
		}
		if !schedule.MadeAt(scheduled).Before(e.Value.After) || e.Value.Outlived(e.Value.After, time.Unix(1, 0)) {
			t.Fatalf("the workflow follows a removal at %v", e.Value.After)
		}
		holdStays := holds(t, st, "wf", e.Value.After)
		natstest.Eventually(t, "what was booked before has ended", func() bool {
			e, _ := st.Plan.Schedules().Get(scheduled)
			return e.Value.State == schedule.Ended && !slices.Contains(st.Plan.OpenHolds("wf"), held)
		})
		if e, _ := st.Plan.Schedules().Get(stays); e.Value.State != schedule.Active || !slices.Contains(st.Plan.OpenHolds("wf"), holdStays) {
			t.Fatalf("what was booked after: %s, holds %v", e.Value.State, st.Plan.OpenHolds("wf"))
		}
		removes(t, st, "wf")
		natstest.Eventually(t, "all has ended", func() bool {
			e, _ := st.Plan.Schedules().Get(stays)
			return e.Value.State == schedule.Ended && len(st.Plan.OpenHolds("wf")) == 0
		})
	}
}
