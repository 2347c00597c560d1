package orchestrator

import (
	"context"
	"log/slog"
	"time"

	"oc-scheduler/store"
	"oc-scheduler/store/execution"
)

const (
	// reconcileEvery is how often executions are compared with the nodes that should have them.
	reconcileEvery = time.Second
	// missingAfter is how old an order must be before it is looked for: till then it is on its way.
	missingAfter = 10 * time.Second
	// catchesUp is how long a ledger may take to tell what it knew when its session began. Its last events may be
	// of no interest to others: then nothing tells that it is done.
	catchesUp = 30 * time.Second
)

// reconciler ends the executions of which no node will tell any more, those of this replica's partitions.
type reconciler struct {
	store  *store.Store
	orders *Orders
	open   *open
	desk   *desk
	log    *slog.Logger
	looked map[string]string // execution → session of its node in which its order was looked for
	met    map[string]meeting
}

// meeting is since when this replica has seen a node in a session.
type meeting struct {
	session string
	since   time.Time
}

// round looks at what the views show, and acts on what stands.
func (r *reconciler) round(ctx context.Context) {
	if !r.store.Nodes.View().Current() || !r.store.Liveness.View().Current() || !r.store.Executions.View().Current() {
		return
	}
	looked, quiet := map[string]string{}, true
	for _, e := range r.open.list(func(e execution.Execution) bool { return r.desk.holds(e.NodeID) }) {
		if session, ok := r.looked[e.ExecutionID]; ok {
			looked[e.ExecutionID] = session
		}
		if !r.doubtful(e, looked) {
			continue
		}
		quiet = false
		if err := r.settle(ctx, e); err != nil {
			if ctx.Err() == nil {
				r.log.WarnContext(ctx, "an execution can't be compared with its node, trying again", "execution_id", e.ExecutionID, "node_id", e.NodeID, "error", err)
			}
			delete(looked, e.ExecutionID)
		}
	}
	r.looked = looked
	if quiet {
		clear(r.met)
	}
}

// doubtful says whether an execution deserves a look past the views. Its node's events from before the present
// session come first: they may tell of its end.
func (r *reconciler) doubtful(e execution.Execution, looked map[string]string) bool {
	entry, known := r.store.Nodes.View().Get(e.NodeID)
	n := entry.Value
	switch {
	case !known:
		_, alive := r.store.Liveness.View().Get(e.NodeID)
		return !alive
	case !r.desk.handled(e.NodeID, n.OutPosition):
		return false
	case foreign(e, n) != "":
		return true
	case n.State != store.NodeConnected || e.State != execution.Ordered || e.SentAs == 0 ||
		looked[e.ExecutionID] == n.Session || r.store.Now().Sub(e.OrderedAt) < missingAfter:
		return false
	}
	looked[e.ExecutionID] = n.Session
	return true
}

// settle ends an execution if that is due by what stands. What the node tells of it meanwhile goes first.
func (r *reconciler) settle(ctx context.Context, e execution.Execution) error {
	reason, err := r.verdict(ctx, e)
	if err != nil || reason == "" {
		return err
	}
	given, err := r.orders.giveUp(ctx, e, reason)
	if given {
		r.log.WarnContext(ctx, "an execution is given up", "execution_id", e.ExecutionID, "node_id", e.NodeID, "was", e.State, "reason", reason)
	}
	return err
}
