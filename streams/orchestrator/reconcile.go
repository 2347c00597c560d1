package orchestrator

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"oc-scheduler/store"
	"oc-scheduler/store/booking"
)

const (
	// reconcileEvery is how often executions are compared with the nodes that should have them.
	reconcileEvery = time.Second
	// missingAfter is how old an order must be before it is looked for: till then it is on its way.
	missingAfter = 10 * time.Second
)

// reconciler ends the executions of which no node will tell any more, those of this replica's partitions.
type reconciler struct {
	store  *store.Store
	orders *Orders
	open   *open
	desk   *desk
	log    *slog.Logger
	looked map[string]string // execution → session of its node in which its order was looked for
}

// run compares until ctx ends.
func (r *reconciler) run(ctx context.Context) {
	tick := time.NewTicker(reconcileEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			r.round(ctx)
		}
	}
}

// round looks at what the views show, and acts on what stands.
func (r *reconciler) round(ctx context.Context) {
	if !r.store.Nodes.View().Current() || !r.store.Liveness.View().Current() || !r.store.Executions.View().Current() {
		return
	}
	looked := map[string]string{}
	for _, e := range r.open.list(func(e booking.Execution) bool { return r.desk.holds(e.NodeID) }) {
		if session, ok := r.looked[e.ExecutionID]; ok {
			looked[e.ExecutionID] = session
		}
		if !r.doubtful(e, looked) {
			continue
		}
		if err := r.settle(ctx, e); err != nil {
			if ctx.Err() == nil {
				r.log.WarnContext(ctx, "an execution can't be compared with its node, trying again", "execution_id", e.ExecutionID, "node_id", e.NodeID, "error", err)
			}
			delete(looked, e.ExecutionID)
		}
	}
	r.looked = looked
}

// doubtful says whether an execution deserves a look past the views. Its node's events from before the present
// session come first: they may tell of its end.
func (r *reconciler) doubtful(e booking.Execution, looked map[string]string) bool {
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
	case n.State != store.NodeConnected || e.State != booking.ExecutionOrdered || e.SentAs == 0 ||
		looked[e.ExecutionID] == n.Session || time.Since(e.OrderedAt) < missingAfter:
		return false
	}
	looked[e.ExecutionID] = n.Session
	return true
}

// Why executions end without a word of their node.
const (
	reasonRemoved   = "node removed"
	reasonForgotten = "node lost: it came back with another ledger, which does not know this execution"
	reasonUnclear   = "node lost: it came back with another ledger, and the order may have reached the one before"
	reasonMissing   = "order lost: it was removed before the node had it"
)

// foreign says why the present ledger of a node will never tell of an execution; empty: it may.
func foreign(e booking.Execution, n store.NodeRecord) string {
	switch {
	case n.Ledger == "":
	case e.Event.Ledger != "" && e.Event.Ledger != n.Ledger:
		return reasonForgotten
	case e.State == booking.ExecutionOrdered && e.SentAs > 0 && e.SentAs < n.LedgerFrom:
		return reasonUnclear
	}
	return ""
}

// settle ends an execution if that is due by what stands. What the node tells of it meanwhile goes first.
func (r *reconciler) settle(ctx context.Context, e booking.Execution) error {
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

func (r *reconciler) verdict(ctx context.Context, e booking.Execution) (string, error) {
	n, err := r.store.Nodes.Get(ctx, e.NodeID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		// One that is alive introduces itself again.
		if alive, err := r.store.Liveness.Alive(ctx, e.NodeID); alive || err != nil {
			return "", err
		}
		return reasonRemoved, nil
	case errors.Is(err, store.ErrUndecodable):
		return "", nil
	case err != nil:
		return "", err
	}
	reason := foreign(e, n)
	if reason == reasonForgotten || e.State != booking.ExecutionOrdered || e.SentAs == 0 {
		return reason, nil
	}
	switch stands, err := r.orders.stands(ctx, e, n.InStream); {
	case errors.Is(err, errOtherStream): // the node's next session tells
		return "", nil
	case err != nil:
		return "", err
	case !stands && reason == "":
		return reasonMissing, nil
	}
	return reason, nil
}
