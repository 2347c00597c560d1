package run_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/run"
	"oc-scheduler/store/workflow"
)

// parallel is a run of n steps at once on one instance, as it is booked from now on.
func (r *replica) parallel(tb testing.TB, id string, n int) (run.Record, run.Outcome) {
	tb.Helper()
	items, links := []string{`"c":{"compute":{"id":"r","peer_id":"p"}}`}, []string{}
	for i := range n {
		items = append(items, fmt.Sprintf(`"s%d":{"processing":{"command":["x"]}}`, i))
		links = append(links, fmt.Sprintf(`{"source":"s%d","destination":"c"}`, i))
	}
	w, err := workflow.Decode([]byte(`{"id":"w","graph":{"items":{` + strings.Join(items, ",") + `},"links":[` + strings.Join(links, ",") + `]}}`))
	if err != nil {
		tb.Fatal(err)
	}
	start := r.st.Now()
	b := run.Booked{RunID: id, Nominal: start.Format(time.RFC3339), Start: start, End: start.Add(time.Hour), CatchUp: time.Minute, Rooms: []run.Room{
		{ItemID: "c", BookingID: "oc-1", PeerID: "p", ResourceID: "r", InstanceID: "i", Start: start, End: start.Add(time.Hour)},
	}}
	return run.New(w, b, "token:t", start)
}

// TestManyStepsAtOnce all begin, each once, and end.
func TestManyStepsAtOnce(t *testing.T) {
	t.Parallel()
	const steps = 400
	server, n := natstest.Start(t), newNodes()
	n.brief = true
	a := newReplica(t, server, n, 1)
	natstest.Run(t, a.Run)
	record, out := a.parallel(t, "r-many", steps)
	if err := a.Add(t.Context(), record, out.Due); err != nil {
		t.Fatal(err)
	}
	for some := steps / 8; some <= steps; some += steps / 8 { // it is much for a loaded machine with the race detector
		natstest.Eventually(t, fmt.Sprint(some, " executions have ended"), func() bool {
			ended := 0
			for _, e := range a.st.Executions.View().All() {
				if e.State.Final() {
					ended++
				}
			}
			return ended >= some
		})
	}
	r := a.ended(t, "r-many")
	if r.State != run.Completed {
		t.Errorf("%s %s", r.State, r.Reason)
	}
	for _, s := range r.Steps {
		if s.State != run.Completed || len(s.Executions) != 1 {
			t.Errorf("%+v", s)
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.ordered) != steps {
		t.Errorf("%d executions", len(n.ordered))
	}
	t.Logf("all have ended %v after the run was due", r.EndedAt.Sub(record.Start).Round(time.Millisecond))
}
