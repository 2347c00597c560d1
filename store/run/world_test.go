package run_test

import (
	"fmt"
	"math"
	"strings"
	"time"

	"oc-scheduler/store/execution"
	"oc-scheduler/store/run"
	"oc-scheduler/store/workflow"
)

// tester is what tests and properties have in common.
type tester interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

const grace = 2 * time.Minute

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// after is so many seconds after noon.
func after(seconds float64) time.Time { return noon.Add(time.Duration(math.Round(seconds * 1e9))) }

// decode makes a workflow of items and links "a>b".
func decode(t tester, items string, links ...string) *workflow.Workflow {
	t.Helper()
	var list []string
	for _, l := range links {
		from, to, _ := strings.Cut(l, ">")
		list = append(list, fmt.Sprintf(`{"source":%q,"destination":%q}`, from, to))
	}
	w, err := workflow.Decode([]byte(`{"id":"w","graph":{"items":{` + items + `},"links":[` + strings.Join(list, ",") + `]}}`))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func step(id, rest string) string { return fmt.Sprintf(`%q:{"processing":{%s}}`, id, rest) }

// compute is an item that is booked on the instance, and offered by the node, of its name.
func compute(ids ...string) string {
	var items []string
	for _, id := range ids {
		items = append(items, fmt.Sprintf(`%q:{"compute":{"id":"r","peer_id":"p"}}`, id))
	}
	return strings.Join(items, ",")
}

// story is a run that things happen to.
type story struct {
	t     tester
	r     run.Record
	out   run.Outcome
	nodes map[string]run.Node // by instance
}

// begin makes a run of a workflow, booked from noon for so many seconds.
func begin(t tester, w *workflow.Workflow, seconds float64) *story {
	t.Helper()
	s := &story{t: t, nodes: map[string]run.Node{}}
	b := run.Booked{
		RunID: "r-1", ScheduleID: "s-1", Nominal: "2026-12-01T13:00:00+01:00", Start: noon, End: after(seconds), CatchUp: 5 * time.Minute,
	}
	for _, need := range w.Needs() {
		at := need.Span
		if at == (workflow.Span{}) {
			at.End = b.End.Sub(b.Start)
		}
		b.Rooms = append(b.Rooms, run.Room{
			ItemID: need.ItemID, BookingID: "oc-1", PeerID: need.PeerID, ResourceID: need.ResourceID, InstanceID: need.ItemID,
			Start: noon.Add(at.Start), End: noon.Add(at.End),
		})
		s.nodes[need.ItemID] = run.Node{ID: "node-" + need.ItemID, AsOf: 1}
	}
	s.r, s.out = run.New(w, b, "token:t", after(-60))
	return s
}

// on has something happen at a time.
func (s *story) on(at float64, what run.Event) *story {
	s.t.Helper()
	before := s.r
	s.r, s.out = run.Advance(s.r, what, s.then(at))
	checkTurn(s.t, before, s.r, s.out, after(at))
	return s
}

// then is what counts at a time.
func (s *story) then(at float64) run.Now {
	return run.Now{At: after(at), Grace: grace, Node: func(p run.Place) (run.Node, bool) {
		n, known := s.nodes[p.InstanceID]
		return n, known
	}}
}

// due lets the timers run out up to a time, each when it is due.
func (s *story) due(until float64) *story {
	s.t.Helper()
	var all run.Outcome
	for range 1000 {
		at := until
		if due := s.out.Due; !due.IsZero() && due.Before(after(until)) {
			at = due.Sub(noon).Seconds()
		}
		s.on(at, run.Due{})
		all.Start, all.Stop, all.Free = append(all.Start, s.out.Start...), append(all.Stop, s.out.Stop...), append(all.Free, s.out.Free...)
		if at == until {
			s.out.Start, s.out.Stop, s.out.Free = all.Start, all.Stop, all.Free
			return s
		}
	}
	s.t.Fatal("it never comes to rest")
	return s
}

// present is the newest execution of a step on a node.
func (s *story) present(stepID, nodeID string) run.Execution {
	s.t.Helper()
	for _, st := range s.r.Steps {
		for i := len(st.Executions) - 1; i >= 0 && st.ItemID == stepID; i-- {
			if st.Executions[i].NodeID == nodeID {
				return st.Executions[i]
			}
		}
	}
	s.t.Fatalf("step %s is not executed on %s", stepID, nodeID)
	return run.Execution{}
}

// told has the node of an item tell how a step's execution on it stands.
func (s *story) told(at float64, stepID, on string, state execution.State, code ...int) *story {
	s.t.Helper()
	e := run.Executed{NodeID: "node-" + on, ExecutionID: s.present(stepID, "node-"+on).ExecutionID, State: state}
	if len(code) > 0 {
		e.ExitCode, e.Reason = &code[0], fmt.Sprint("exit code ", code[0])
	}
	return s.on(at, e)
}

// is checks the run's state and how its reason begins.
func (s *story) is(state run.State, reason string) *story {
	s.t.Helper()
	if s.r.State != state || !strings.HasPrefix(s.r.Reason, reason) || (reason == "") != (s.r.Reason == "") {
		s.t.Fatalf("the run is %s, %q; want %s, %q", s.r.State, s.r.Reason, state, reason)
	}
	return s
}

// steps checks the states of the steps, in their order.
func (s *story) steps(want ...run.State) *story {
	s.t.Helper()
	var got []run.State
	for _, st := range s.r.Steps {
		got = append(got, st.State)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		s.t.Fatalf("steps are %v, want %v", got, want)
	}
	return s
}

// orders checks what goes out: "+step/node#attempt" and "-node".
func (s *story) orders(want ...string) *story {
	s.t.Helper()
	var got []string
	for _, o := range s.out.Start {
		got = append(got, fmt.Sprintf("+%s/%s#%d", o.Order.Of.ItemID, o.NodeID, o.Order.Of.Attempt))
	}
	for _, o := range s.out.Stop {
		got = append(got, "-"+o.NodeID)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		s.t.Fatalf("orders are %v, want %v", got, want)
	}
	return s
}

// frees checks which items' bookings end.
func (s *story) frees(want ...string) *story {
	s.t.Helper()
	var got []string
	for _, f := range s.out.Free {
		got = append(got, f.ItemID)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		s.t.Fatalf("freed are %v, want %v", got, want)
	}
	return s
}

// looksAgain checks when the next look is due, in seconds after noon; below zero: never.
func (s *story) looksAgain(want float64) *story {
	s.t.Helper()
	if want < 0 != s.out.Due.IsZero() || want >= 0 && !s.out.Due.Equal(after(want)) {
		s.t.Fatalf("it looks again at %v, want %v", s.out.Due, after(want))
	}
	return s
}
