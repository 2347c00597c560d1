package run_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/run"
	"oc-scheduler/store/workflow"
	"oc-scheduler/streams/orchestrator"
	runs "oc-scheduler/streams/run"
)

func TestMain(m *testing.M) {
	natstest.VerifyTestMain(m)
}

// replica sees runs through. Its nodes execute at once what they are ordered to.
type replica struct {
	*runs.Service
	st    *store.Store
	nodes *nodes
}

// nodes are what all replicas order from.
type nodes struct {
	grace   time.Duration // how long they are waited for
	mu      sync.Mutex
	ordered map[string]int // by execution: how often its order has come, told or not
	brief   bool           // they tell only of ends
	looked  int            // how often a schedule was looked at beside its runs
	ends    func(execution.Order) execution.Event
}

func newReplica(t *testing.T, s *natstest.Server, n *nodes, replicas int) *replica {
	t.Helper()
	var st *store.Store
	natstest.Eventually(t, "the store opens", func() bool {
		var err error
		st, err = store.Open(t.Context(), s.JetStream(t), store.Config{Replicas: replicas}, slog.New(slog.DiscardHandler), nil)
		return err == nil
	})
	natstest.Run(t, st.Run)
	natstest.Receive(t, st.Plan.Loaded())
	r := &replica{st: st, nodes: n}
	ready := make(chan struct{})
	close(ready)
	r.Service = runs.New(st, runs.Config{
		Grace: n.grace, Orders: r, Rooms: r, Ready: ready, Schedules: r, Log: slog.New(slog.DiscardHandler),
		Node: func(p run.Place) (run.Node, bool) {
			return run.Node{ID: "node-" + p.InstanceID}, p.InstanceID != "nowhere"
		},
	})
	return r
}

// Tell does nothing: its nodes have room.
func (r *replica) Tell(context.Context, string, string, run.Place) error { return nil }

// Execute executes an order, as far as it is not known yet.
func (r *replica) Execute(ctx context.Context, nodeID string, o execution.Order) (execution.Execution, error) {
	if nodeID == "node-unknown" {
		return execution.Execution{}, orchestrator.ErrUnknownNode
	}
	ctx = context.WithoutCancel(ctx) // a node does not die with who orders
	e := execution.Execution{ExecutionID: o.ExecutionID, NodeID: nodeID, Of: o.Of, State: execution.Ordered, OrderedAt: r.st.Now()}
	r.nodes.mu.Lock()
	r.nodes.ordered[o.ExecutionID]++
	r.nodes.mu.Unlock()
	if _, err := r.st.Executions.Create(ctx, e); err != nil {
		return e, err
	}
	said := []execution.Event{{State: execution.Queued}, {State: execution.Running}, r.nodes.ends(o)}
	if r.nodes.brief {
		said = said[2:]
	}
	for n, v := range said {
		if v.State == "" {
			break
		}
		v.EventRef, v.ExecutionID, v.NodeID, v.At = execution.EventRef{Ledger: "l", Sequence: uint64(n + 1)}, o.ExecutionID, nodeID, time.Now()
		if err := r.tell(ctx, v); err != nil {
			return e, err
		}
	}
	return e, nil
}

// tell tells what has become of an execution; a node does not give up either.
func (r *replica) tell(ctx context.Context, v execution.Event) error {
	for {
		err := r.st.Executions.Change(ctx, v.ExecutionID, func(e execution.Execution) (execution.Execution, bool) { return e.Apply(v) })
		if !errors.Is(err, kv.ErrUnavailable) || ctx.Err() != nil {
			return err
		}
	}
}

// Due handles a schedule's timer, and sets it again.
func (r *replica) Due(ctx context.Context, id string, fired uint64) error {
	r.nodes.mu.Lock()
	r.nodes.looked++
	r.nodes.mu.Unlock()
	return r.st.Plan.Try(ctx, func(ctx context.Context, _ bool) (*plan.Commit, error) {
		s, _, err := r.st.Plan.Schedule(ctx, id)
		if err != nil {
			return nil, err
		}
		c := r.st.Plan.NewCommit("somebody")
		c.Handled(id, fired)
		if at, waits := s.Due(r.st.Now(), false); waits {
			timer, err := r.st.Plan.TimerRevision(ctx, id)
			if err != nil {
				return nil, err
			}
			c.Timer(id, at, timer)
		}
		return c, nil
	})
}

// CancelExecution ends an execution that has not ended.
func (r *replica) CancelExecution(ctx context.Context, executionID, reason string) error {
	e, err := r.st.Executions.Get(ctx, executionID)
	if err != nil {
		return err
	}
	return r.tell(ctx, execution.Event{
		EventRef: execution.EventRef{Ledger: "l", Sequence: 9}, ExecutionID: executionID, NodeID: e.NodeID, State: execution.Cancelled, Reason: reason, At: time.Now(),
	})
}

func newNodes() *nodes {
	return &nodes{grace: time.Minute, ordered: map[string]int{}, ends: func(execution.Order) execution.Event {
		zero := 0
		return execution.Event{State: execution.Completed, ExitCode: &zero}
	}}
}

// booked is a run of n steps, one after the other, on instances of their own, each planned to last a second.
func (r *replica) booked(t *testing.T, id string, start time.Time, instances ...string) (run.Record, run.Outcome) {
	t.Helper()
	var items, links string
	b := run.Booked{RunID: id, Nominal: start.Format(time.RFC3339), Start: start, End: start.Add(time.Hour), CatchUp: time.Minute}
	for i, instance := range instances {
		items += fmt.Sprintf(`"s%d":{"processing":{"command":["x"]}},"c%d":{"compute":{"id":"r","peer_id":"p"}},`, i, i)
		links += fmt.Sprintf(`{"source":"s%d","destination":"c%d"},`, i, i)
		if i > 0 {
			links += fmt.Sprintf(`{"source":"s%d","destination":"s%d"},`, i-1, i)
		}
		b.Rooms = append(b.Rooms, run.Room{
			ItemID: fmt.Sprint("c", i), BookingID: "oc-1", PeerID: "p", ResourceID: "r", InstanceID: instance, Start: b.Start, End: b.End,
		})
	}
	w, err := workflow.Decode([]byte(`{"id":"w","graph":{"items":{` + items[:len(items)-1] + `},"links":[` + links[:len(links)-1] + `]}}`))
	if err != nil {
		t.Fatal(err)
	}
	return run.New(w, b, "token:t", r.st.Now())
}

// add has runs seen through.
func (r *replica) add(t *testing.T, id string, start time.Time, instances ...string) {
	t.Helper()
	record, out := r.booked(t, id, start, instances...)
	if err := r.Add(t.Context(), record, out.Due); err != nil {
		t.Fatal(err)
	}
}

// ended waits until a run has ended, and returns it.
func (r *replica) ended(t *testing.T, id string) run.Record {
	t.Helper()
	var last run.Record
	natstest.Eventually(t, "run "+id+" has ended", func() bool {
		got, err := r.Get(t.Context(), id)
		if err != nil && !errors.Is(err, kv.ErrUnavailable) {
			t.Fatal(err)
		}
		last = got
		return err == nil && got.State.Final()
	})
	return last
}
