package orchestrator

import (
	"context"
	"errors"
	"time"

	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
)

// Why executions end without a word of their node.
const (
	reasonRemoved   = execution.ReasonRemoved
	reasonForgotten = execution.ReasonLost + ": it came back with another ledger, which does not know this execution"
	reasonUnclear   = execution.ReasonLost + ": it came back with another ledger, and the order may have reached the one before"
	reasonMissing   = "order lost: it was removed before the node had it"
)

// told says whether a node's ledger has told what it knew when its session began.
func (r *reconciler) told(ctx context.Context, n store.NodeRecord) (bool, error) {
	cursor, _, err := r.store.Executions.Cursor(ctx, n.NodeID)
	if err != nil || n.NewestNodeSequence == 0 || cursor.Ledger == n.Ledger && cursor.Sequence >= n.NewestNodeSequence {
		return err == nil, err
	}
	if r.met[n.NodeID].session != n.Session {
		r.met[n.NodeID] = meeting{n.Session, time.Now()}
	}
	return time.Since(r.met[n.NodeID].since) > catchesUp, nil
}

// foreign says why the present ledger of a node will never tell of an execution; empty: it may.
func foreign(e execution.Execution, n store.NodeRecord) string {
	switch {
	case n.Ledger == "":
	case e.Event.Ledger != "" && e.Event.Ledger != n.Ledger:
		return reasonForgotten
	case e.State == execution.Ordered && e.SentAs > 0 && e.SentAs < n.LedgerFrom:
		return reasonUnclear
	}
	return ""
}

func (r *reconciler) verdict(ctx context.Context, e execution.Execution) (string, error) {
	n, err := r.store.Nodes.Get(ctx, e.NodeID)
	switch {
	case errors.Is(err, kv.ErrNotFound):
		// One that is alive introduces itself again.
		if alive, err := r.store.Liveness.Alive(ctx, e.NodeID); alive || err != nil {
			return "", err
		}
		return reasonRemoved, nil
	case errors.Is(err, kv.ErrUndecodable):
		return "", nil
	case err != nil:
		return "", err
	}
	reason := foreign(e, n)
	if reason != "" {
		if told, err := r.told(ctx, n); err != nil || !told {
			return "", err
		}
	}
	if reason == reasonForgotten || e.State != execution.Ordered || e.SentAs == 0 {
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
