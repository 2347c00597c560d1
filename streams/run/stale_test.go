package run_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/run"
	runs "oc-scheduler/streams/run"
)

// blind is a replica that sees what stands now, and never anything new: what it decides on it, is too old.
func blind(t *testing.T, s *natstest.Server, n *nodes) *replica {
	t.Helper()
	st, err := store.Open(t.Context(), s.JetStream(t), store.Config{Replicas: 1}, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	stop := natstest.Run(t, st.Run)
	natstest.Receive(t, st.Plan.Loaded())
	if err := st.Plan.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	stop()
	r := &replica{st: st, nodes: n}
	r.Service = runs.New(st, runs.Config{
		Grace: n.grace, Orders: r, Rooms: r, Schedules: r, Log: slog.New(slog.DiscardHandler),
		Node: func(p run.Place) (run.Node, bool) { return run.Node{ID: "node-" + p.InstanceID}, true },
	})
	return r
}

// TestWhatWasSeenIsTooOld: whatever a replica is told that has seen nothing since, no order is given twice, nothing that
// has happened is lost, and no timer.
func TestWhatWasSeenIsTooOld(t *testing.T) {
	t.Parallel()
	server, n := natstest.Start(t), newNodes()
	n.ends = func(execution.Order) execution.Event { return execution.Event{} } // they go on
	a := newReplica(t, server, n, 1)
	a.add(t, "r-1", a.st.Now().Add(time.Second), "i", "j")
	scheduled := blind(t, server, n)
	if _, _, ok := scheduled.st.Plan.SeenRun("r-1"); !ok {
		t.Fatal("it has not seen the run")
	}
	natstest.Run(t, a.Run)
	natstest.Eventually(t, "its first step runs", func() bool {
		r, err := a.Get(t.Context(), "r-1")
		return err == nil && r.Steps[0].State == run.Running
	})
	before, err := a.Get(t.Context(), "r-1")
	if err != nil {
		t.Fatal(err)
	}
	first, ended := before.Steps[0].Executions[0], 0
	for range 2 { // to who holds that it waits for its time: it has come, again; nothing was heard of what runs
		if err := scheduled.Happen(t.Context(), "r-1", run.Due{}); err != nil {
			t.Fatal(err)
		}
	}
	running := blind(t, server, n)
	for _, b := range []*replica{scheduled, running, scheduled} { // the end of the first step, told thrice
		told := run.Executed{ExecutionID: first.ExecutionID, NodeID: first.NodeID, State: execution.Completed, ExitCode: &ended}
		if err := b.Happen(t.Context(), "r-1", told); err != nil {
			t.Fatal(err)
		}
	}
	natstest.Eventually(t, "its second step runs", func() bool {
		r, err := a.Get(t.Context(), "r-1")
		return err == nil && r.Steps[0].State == run.Completed && r.Steps[1].State == run.Running
	})
	if _, err := a.Timer(t.Context(), "r-1"); err != nil {
		t.Errorf("nothing wakes it: %v", err)
	}
	if err := running.Happen(t.Context(), "r-1", run.Cancel{By: "token:u", Reason: "enough"}); err != nil {
		t.Fatal(err)
	}
	r := a.ended(t, "r-1")
	moved := map[string]int{}
	for _, it := range r.Work.Log {
		moved[string(it.Kind)+it.ItemID+string(it.To)]++
	}
	for what, times := range moved {
		if times != 1 {
			t.Errorf("%s %d times: %+v", what, times, r.Work.Log)
		}
	}
	if r.State != run.Cancelled || r.Steps[0].State != run.Completed || r.Steps[1].State != run.Cancelled {
		t.Errorf("%s %s, %s, %s", r.State, r.Reason, r.Steps[0].State, r.Steps[1].State)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.ordered) != 2 {
		t.Errorf("ordered: %v", n.ordered)
	}
}

// TestARunThatIsGone is nobody's, though it was seen.
func TestARunThatIsGone(t *testing.T) {
	t.Parallel()
	server, n := natstest.Start(t), newNodes()
	a := newReplica(t, server, n, 1)
	a.add(t, "r-1", a.st.Now().Add(time.Hour), "i")
	b := blind(t, server, n)
	_, revision, ok := b.st.Plan.SeenRun("r-1")
	if !ok {
		t.Fatal("it was not seen")
	}
	if err := a.Remove(t.Context(), "r-1", revision); err != nil {
		t.Fatal(err)
	}
	if err := b.Happen(t.Context(), "r-1", run.Cancel{}); !errors.Is(err, kv.ErrNotFound) {
		t.Errorf("Happen = %v", err)
	}
}

// TestAScheduleThatWasSeenIsTooOld: it has one run for each occurrence, whoever begins it, and what its runs give back is
// given back.
func TestAScheduleThatWasSeenIsTooOld(t *testing.T) {
	t.Parallel()
	server, n := natstest.Start(t), newNodes()
	a := newReplica(t, server, n, 1)
	made := a.scheduled(t, a.st.Now().Add(time.Hour))
	b := blind(t, server, n)
	if _, _, ok := b.st.Plan.SeenSchedule(made.ID); !ok {
		t.Fatal("it was not seen")
	}
	first, err := a.Start(t.Context(), made.ID)
	if err != nil {
		t.Fatal(err)
	}
	second, err := b.Start(t.Context(), made.ID)
	if err != nil || second.ID != first.ID {
		t.Fatalf("%s and %s, %v", first.ID, second.ID, err)
	}
	if err := b.Happen(t.Context(), first.ID, run.Cancel{}); err != nil {
		t.Fatal(err)
	}
	s, _, err := a.st.Plan.Schedule(t.Context(), made.ID)
	if err != nil || s.Occurrences[0].State != "cancelled" || len(s.Occurrences[0].Bookings) != 0 {
		t.Errorf("%+v, %v", s.Occurrences, err)
	}
	stands, err := a.st.Plan.Standing(t.Context(), made.ID, made.Places())
	if err != nil {
		t.Fatal(err)
	}
	for place, is := range stands {
		if is.Live {
			t.Errorf("%+v is taken: %+v", place, is.Intervals)
		}
	}
}

// TestTheTimerOfARunThatEndsGoes, though another one was set while the message of the last one waited to be handled.
func TestTheTimerOfARunThatEndsGoes(t *testing.T) {
	t.Parallel()
	n := newNodes()
	n.ends = func(execution.Order) execution.Event { return execution.Event{} } // they go on
	a := newReplica(t, natstest.Start(t), n, 1)
	a.add(t, "r-1", a.st.Now(), "i")
	var fired uint64
	natstest.Eventually(t, "its timer has fired", func() (ok bool) {
		var err error
		fired, err = a.Fired(t.Context(), "r-1")
		return err == nil && fired > 0
	})
	if err := a.Happen(t.Context(), "r-1", run.Due{}); err != nil { // it begins, and waits for its end
		t.Fatal(err)
	}
	if _, err := a.Timer(t.Context(), "r-1"); err != nil {
		t.Fatalf("nothing wakes it: %v", err)
	}
	r, err := a.Get(t.Context(), "r-1")
	if err == nil {
		err = a.st.Plan.Sync(t.Context()) // it is seen as it stands
	}
	if err != nil {
		t.Fatal(err)
	}
	x, ended := r.Steps[0].Executions[0], 0
	told := run.Executed{ExecutionID: x.ExecutionID, NodeID: x.NodeID, State: execution.Completed, ExitCode: &ended}
	if err := a.HappenWith(t.Context(), "r-1", fired, told, run.Due{}); err != nil {
		t.Fatal(err)
	}
	if r := a.ended(t, "r-1"); r.State != run.Completed {
		t.Errorf("%s %s", r.State, r.Reason)
	}
	if m, err := a.Timer(t.Context(), "r-1"); !errors.Is(err, kv.ErrNotFound) {
		t.Errorf("a timer is left: %+v, %v", m.Header, err)
	}
}
