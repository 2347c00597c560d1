package orphans_test

import (
	"context"
	"log/slog"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
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
	scheduleID = st.Plan.NewID(schedule.OfSchedule)
	err := st.Plan.Try(t.Context(), func(context.Context, bool) (*plan.Commit, error) {
		c := st.Plan.NewCommit("somebody")
		c.Schedule(&schedule.Record{
			Schedule: schedule.Schedule{ID: scheduleID, WorkflowID: workflowID, State: schedule.Active, Request: []byte("{}")},
			Workflow: []byte("{}"),
		}, 0)
		return c, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return scheduleID
}

// TestWhoeverLivesEndsThem: the replica that removed the workflow is gone, and another one booked at that moment.
func TestWhoeverLivesEndsThem(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	dead := open(t, server)
	dies := natstest.Run(t, dead.Run)
	natstest.Receive(t, dead.Plan.Loaded())
	for _, id := range []string{"wf-1", "wf-2"} {
		raw := []byte(`{"id":"` + id + `","graph":{"items":{}}}`)
		if _, _, _, err := dead.Workflows.Put(t.Context(), id, raw, store.Author{Subject: access.Anonymous, Keep: true}, store.Condition{}); err != nil {
			t.Fatal(err)
		}
	}
	removed, stays := books(t, dead, "wf-1"), books(t, dead, "wf-2")
	if err := dead.Workflows.Delete(t.Context(), "wf-1", access.Anonymous, store.Condition{}); err != nil {
		t.Fatal(err)
	}
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
