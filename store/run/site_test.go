package run_test

import (
	"cmp"
	"slices"
	"strings"

	"oc-scheduler/store/execution"
	"oc-scheduler/store/run"
)

// happening is something that comes to the run, or to a node, at a time.
type happening struct {
	at    float64
	what  run.Event
	start *run.Start
	stop  *run.Stop
}

// site plays a plot: nodes that carry out orders, and the way between them and the run.
type site struct {
	plot
	s     *story
	queue []happening
	ran   map[string]*happening // end of what was begun, by execution
	over  map[string]bool
	delay func(what string, most float64) float64 // how late something comes
	twice func() bool                             // whether it comes once more
	lose  func() bool                             // whether whoever handles it dies before the orders went out
}

func (p plot) play(t tester, x *site) run.Record {
	x.plot, x.ran, x.over = p, map[string]*happening{}, map[string]bool{}
	x.s = begin(t, p.w, p.seconds)
	x.push(happening{at: 0, what: run.Due{}})
	if p.cancel {
		x.push(happening{at: 150, what: run.Cancel{By: "token:u"}})
	}
	if p.lost != "" {
		x.push(happening{at: 150, what: run.NodeSeen{NodeID: p.lost, AsOf: 2, LostAt: after(150)}})
		if p.returned {
			x.push(happening{at: 200, what: run.NodeSeen{NodeID: p.lost, AsOf: 3}})
		}
	}
	for n := 0; len(x.queue) > 0; n++ {
		if n > 20000 {
			t.Fatal("it never comes to rest")
		}
		next := x.queue[0]
		x.queue = x.queue[1:]
		switch {
		case next.start != nil:
			x.begin(next.at, *next.start)
		case next.stop != nil:
			x.end(next.at, next.stop.ExecutionID, execution.Cancelled)
		default:
			x.happens(next)
		}
	}
	return x.s.r
}

// push has something come, in its time and maybe twice.
func (x *site) push(h happening) {
	again := x.twice()
	h.at += x.delay("delay", 1)
	x.queue = append(x.queue, h)
	if again {
		h.at += x.delay("again", 40)
		x.queue = append(x.queue, h)
	}
	slices.SortStableFunc(x.queue, func(a, b happening) int { return cmp.Compare(a.at, b.at) })
}

func (x *site) happens(h happening) {
	if e, is := h.what.(run.Executed); is && x.away(e.NodeID, h.at) {
		if x.returned {
			h.at = 200
			x.push(h)
		}
		return
	}
	x.s.on(h.at, h.what)
	out := x.s.out
	if due := out.Due; out.Changed && !due.IsZero() || h.what == (run.Due{}) && !due.IsZero() {
		x.push(happening{at: max(due.Sub(noon).Seconds(), h.at), what: run.Due{}})
	}
	if x.lose() {
		return
	}
	for _, o := range out.Start {
		x.push(happening{at: h.at, start: &o})
	}
	for _, o := range out.Stop {
		x.push(happening{at: h.at, stop: &o})
		x.push(happening{at: h.at, what: run.Sent{ExecutionIDs: []string{o.ExecutionID}}})
	}
}

// away says whether a node is lost, and nothing comes from it.
func (x *site) away(nodeID string, at float64) bool {
	return nodeID == x.lost && at >= 150 && (!x.returned || at < 200)
}

// begin executes what an order says, once.
func (x *site) begin(at float64, o run.Start) {
	id := o.Order.ExecutionID
	if x.ran[id] != nil || x.over[id] {
		return
	}
	zero := 0
	f, told := x.fates[key(o.Order.Of.ItemID, strings.TrimPrefix(o.NodeID, "node-"), o.Order.Of.Attempt)]
	if !told {
		f = fate{2, run.Executed{State: execution.Completed, ExitCode: &zero}}
	}
	f.ends.ExecutionID, f.ends.NodeID, f.ends.OverAt = id, o.NodeID, after(at+f.lasts)
	for _, state := range []execution.State{execution.Ordered, execution.Queued, execution.Running} {
		x.push(happening{at: at, what: run.Executed{ExecutionID: id, NodeID: o.NodeID, State: state, OrderedAt: after(1)}})
	}
	end := happening{at: at + f.lasts, what: f.ends}
	x.ran[id] = &end
	x.push(end)
}

// end ends an execution, unless it has ended.
func (x *site) end(at float64, id string, as execution.State) {
	end := x.ran[id]
	if x.over[id] || end != nil && end.at <= at {
		return
	}
	x.over[id] = true
	nodeID := ""
	for _, s := range x.s.r.Steps {
		for _, e := range s.Executions {
			if e.ExecutionID == id {
				nodeID = e.NodeID
			}
		}
	}
	x.queue = slices.DeleteFunc(x.queue, func(h happening) bool {
		e, is := h.what.(run.Executed)
		return is && end != nil && e.ExecutionID == id && e.State.Final()
	})
	x.push(happening{at: at, what: run.Executed{ExecutionID: id, NodeID: nodeID, State: as, OverAt: after(at)}})
}
