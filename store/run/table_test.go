package run_test

import (
	"testing"

	"oc-scheduler/store/execution"
	"oc-scheduler/store/run"
)

// inState brings a run of one step on one node to a state, at 10 s.
func inState(t *testing.T, state run.State) *story {
	t.Helper()
	w := decode(t, step("a", `"duration_s":60,"command":["x"]`)+","+compute("n"), "a>n")
	s := begin(t, w, 60)
	if state == run.Scheduled {
		return s
	}
	if state == run.Missed {
		return s.on(301, run.Due{})
	}
	s.on(0, run.Due{}).told(1, "a", "n", execution.Ordered)
	switch state {
	case run.Running:
		s.told(2, "a", "n", execution.Running)
	case run.Completed:
		s.told(2, "a", "n", execution.Completed, 0)
	case run.Failed:
		s.told(2, "a", "n", execution.Failed, 1)
	case run.Cancelled:
		s.on(2, run.Cancel{By: "token:u"}).told(3, "a", "n", execution.Cancelled)
	}
	return s.is(state, s.r.Reason)
}

// TestEveryPair: what happens to a run in each state when each thing happens.
func TestEveryPair(t *testing.T) {
	t.Parallel()
	id := run.ExecutionID("r-1", "a", "n", 1)
	code := 0
	events := []run.Event{
		run.Due{},
		run.Executed{ExecutionID: id, NodeID: "node-n", State: execution.Completed, ExitCode: &code},
		run.Sent{ExecutionIDs: []string{id}},
		run.Unsendable{ExecutionID: id, Word: run.NoNode, Sentence: "there is none"},
		run.Cancel{By: "token:u"},
		run.Displace{By: "token:u", Reason: "by schedule s-2"},
		run.NodeSeen{NodeID: "node-n", AsOf: 2, LostAt: after(10)},
	}
	// "=" leaves the record as it is; "~" changes it, not the state.
	want := map[run.State][]string{
		//             due         executed     sent unsendable   cancel       displace     node
		run.Scheduled: {"starting", "=", "=", "=", "cancelled", "cancelled", "="},
		run.Starting:  {"=", "completed", "=", "=", "~", "~", "~"},
		run.Running:   {"=", "completed", "=", "=", "~", "~", "~"},
		run.Completed: {"=", "=", "=", "=", "=", "=", "="},
		run.Failed:    {"=", "=", "=", "=", "=", "=", "="},
		run.Cancelled: {"=", "=", "=", "=", "=", "=", "="},
		run.Missed:    {"=", "=", "=", "=", "=", "=", "="},
	}
	for state, results := range want {
		for i, e := range events {
			if name := run.Kinds()[i]; run.KindOf(e) != name || !run.Decided(state, name) {
				t.Fatalf("nothing is decided for %s in %s", name, state)
			}
			s := inState(t, state)
			s.on(10, e)
			got := string(s.r.State)
			switch {
			case !s.out.Changed:
				got = "="
			case s.r.State == state:
				got = "~"
			}
			if got != results[i] {
				t.Errorf("%s, %s: %s, want %s", state, run.KindOf(e), got, results[i])
			}
			if s.on(10, e); s.out.Changed {
				t.Errorf("%s, %s: the same once more changes it", state, run.KindOf(e))
			}
		}
	}
}
