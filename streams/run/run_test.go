package run_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/run"
)

// TestARunIsSeenThrough from its time to its end by whichever replica is told, while replicas come and go.
func TestARunIsSeenThrough(t *testing.T) {
	t.Parallel()
	server, n := natstest.Start(t), newNodes()
	a, b, c := newReplica(t, server, n, 1), newReplica(t, server, n, 1), newReplica(t, server, n, 1)
	natstest.Run(t, a.Run)
	stop := natstest.Run(t, b.Run)
	start := a.st.Now().Add(300 * time.Millisecond)
	for i := range 5 {
		a.add(t, fmt.Sprint("r-", i), start, "i", "j", "k")
	}
	natstest.Eventually(t, "some run", func() bool {
		n.mu.Lock()
		defer n.mu.Unlock()
		return len(n.ordered) > 4
	})
	stop()
	natstest.Run(t, c.Run)
	for i := range 5 {
		r := c.ended(t, fmt.Sprint("r-", i))
		if r.State != run.Completed || r.StartedAt.Before(start) {
			t.Errorf("%s: %s %s, started at %v", r.ID, r.State, r.Reason, r.StartedAt)
		}
		for _, s := range r.Steps {
			if len(s.Executions) != 1 || s.State != run.Completed || s.Executions[0].State != execution.Completed {
				t.Errorf("%s: %+v", r.ID, s)
			}
		}
		natstest.Eventually(t, "its timer goes", func() bool {
			_, err := a.Timer(t.Context(), r.ID)
			return errors.Is(err, kv.ErrNotFound)
		})
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.ordered) != 15 {
		t.Errorf("%d executions", len(n.ordered))
	}
}

// TestAfterAnOutage: what fell due while no replica lived is started once one does, or is missed.
func TestAfterAnOutage(t *testing.T) {
	t.Parallel()
	server, n := natstest.Start(t), newNodes()
	a := newReplica(t, server, n, 1)
	a.add(t, "r-late", a.st.Now().Add(-30*time.Second), "i")
	a.add(t, "r-missed", a.st.Now().Add(-90*time.Second), "i")
	natstest.Run(t, newReplica(t, server, n, 1).Run)
	if r := a.ended(t, "r-late"); r.State != run.Completed || *r.LateS < 30 {
		t.Errorf("%s %s, late %v", r.State, r.Reason, *r.LateS)
	}
	if r := a.ended(t, "r-missed"); r.State != run.Missed || !strings.HasPrefix(r.Reason, "not started in time: ") {
		t.Errorf("%s %s", r.State, r.Reason)
	}
}

// TestWhatCannotBeOrdered ends the run, and says why.
func TestWhatCannotBeOrdered(t *testing.T) {
	t.Parallel()
	a := newReplica(t, natstest.Start(t), newNodes(), 1)
	natstest.Run(t, a.Run)
	for instance, want := range map[string]string{"nowhere": "no node: step s0: nobody offers", "unknown": "no node: step s0: on node-unknown: "} {
		a.add(t, "r-"+instance, a.st.Now(), instance)
		if r := a.ended(t, "r-"+instance); r.State != run.Failed || !strings.HasPrefix(r.Reason, want) {
			t.Errorf("%s: %s %s", instance, r.State, r.Reason)
		}
	}
}

// TestCancel ends what runs, wherever it is asked for.
func TestCancel(t *testing.T) {
	t.Parallel()
	server, n := natstest.Start(t), newNodes()
	n.ends = func(execution.Order) execution.Event { return execution.Event{} } // they go on
	a, b := newReplica(t, server, n, 1), newReplica(t, server, n, 1)
	natstest.Run(t, a.Run)
	a.add(t, "r-1", a.st.Now(), "i", "j")
	natstest.Eventually(t, "it runs", func() bool {
		r, err := a.Get(t.Context(), "r-1")
		return err == nil && r.State == run.Running
	})
	if err := b.Happen(t.Context(), "r-1", run.Cancel{By: "token:u", Reason: "enough"}); err != nil {
		t.Fatal(err)
	}
	r := a.ended(t, "r-1")
	states := []run.State{r.State, r.Steps[0].State, r.Steps[1].State}
	if !slices.Equal(states, []run.State{run.Cancelled, run.Cancelled, run.Cancelled}) || r.Reason != "cancelled: enough" {
		t.Errorf("%v %s", states, r.Reason)
	}
	if err := b.Happen(t.Context(), "r-none", run.Cancel{}); !errors.Is(err, kv.ErrNotFound) {
		t.Errorf("of no run: %v", err)
	}
}

// becomes stores how a node stands.
func (r *replica) becomes(t *testing.T, nodeID string, state store.NodeState) {
	t.Helper()
	_, err := r.st.Nodes.Change(t.Context(), nodeID, func(*store.NodeRecord) (*store.NodeRecord, error) {
		return &store.NodeRecord{NodeID: nodeID, Standing: store.Standing{Membership: store.Approved, State: state}, Connection: store.Connection{Session: rand.Text()}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// runs waits until a run of one step runs, on a node that is lost or not.
func (r *replica) runs(t *testing.T, id string, lost bool) {
	t.Helper()
	natstest.Eventually(t, fmt.Sprintf("%s runs, its node lost: %v", id, lost), func() bool {
		got, err := r.Get(t.Context(), id)
		return err == nil && got.State == run.Running && got.Work.Tasks[0].Tries[0].LostAt.IsZero() != lost
	})
}

// TestALostNode ends what ran there after the grace, also what was ordered meanwhile.
func TestALostNode(t *testing.T) {
	t.Parallel()
	server, n := natstest.Start(t), newNodes()
	n.ends, n.grace = func(execution.Order) execution.Event { return execution.Event{} }, time.Second // they go on
	a := newReplica(t, server, n, 1)
	natstest.Run(t, a.Run)
	a.becomes(t, "node-i", store.NodeConnected)
	a.becomes(t, "node-j", store.NodeLost)
	a.add(t, "r-i", a.st.Now(), "i")
	a.add(t, "r-j", a.st.Now(), "j")
	a.runs(t, "r-i", false)
	a.becomes(t, "node-i", store.NodeLost)
	for _, id := range []string{"r-i", "r-j"} {
		if r := a.ended(t, id); r.State != run.Failed || !strings.HasPrefix(r.Reason, "node lost: step s0: on node-") {
			t.Errorf("%s: %s %s", id, r.State, r.Reason)
		}
	}
}

// TestANodeThatIsBack ends nothing.
func TestANodeThatIsBack(t *testing.T) {
	t.Parallel()
	server, n := natstest.Start(t), newNodes()
	n.ends = func(execution.Order) execution.Event { return execution.Event{} }
	a := newReplica(t, server, n, 1)
	natstest.Run(t, a.Run)
	a.becomes(t, "node-i", store.NodeConnected)
	a.add(t, "r-i", a.st.Now(), "i")
	a.runs(t, "r-i", false)
	a.becomes(t, "node-i", store.NodeGone)
	a.runs(t, "r-i", true)
	a.becomes(t, "node-i", store.NodeConnected)
	a.runs(t, "r-i", false)
}

// TestANodeThatIsBackWhileNobodyLooked ends nothing either: whoever told of its loss has not told of its return.
func TestANodeThatIsBackWhileNobodyLooked(t *testing.T) {
	t.Parallel()
	server, n := natstest.Start(t), newNodes()
	n.ends = func(execution.Order) execution.Event { return execution.Event{} }
	a, b := newReplica(t, server, n, 1), newReplica(t, server, n, 1)
	stop := natstest.Run(t, a.Run)
	a.becomes(t, "node-i", store.NodeConnected)
	a.add(t, "r-i", a.st.Now(), "i")
	a.runs(t, "r-i", false)
	a.becomes(t, "node-i", store.NodeLost)
	a.runs(t, "r-i", true)
	stop()
	b.becomes(t, "node-i", store.NodeConnected)
	natstest.Run(t, b.Run)
	b.runs(t, "r-i", false)
}
