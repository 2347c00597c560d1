package orchestrator

import (
	"context"
	"errors"
	"slices"

	"oc-scheduler/store"
	"oc-scheduler/store/kv"
)

// maxFormer is how many ledgers that were replaced are remembered of a node.
const maxFormer = 8

// ledgers are those that have numbered a node's events.
type ledgers struct {
	former  []store.FormerLedger // oldest first
	present string
}

// follows says whether a node's events go on in a ledger after another one (empty: none), at a position in
// the stream. They never go back; and what is said in the name of a former one after it was replaced counts
// for nothing.
func (l ledgers) follows(last, next string, position uint64) bool {
	if next == "" || next == last {
		return false
	}
	if next == l.present {
		return true
	}
	at := slices.IndexFunc(l.former, func(f store.FormerLedger) bool { return f.Ledger == next })
	return at >= 0 && position <= l.former[at].Until && last != l.present && at > l.place(last)
}

func (l ledgers) place(ledger string) int {
	return slices.IndexFunc(l.former, func(f store.FormerLedger) bool { return f.Ledger == ledger })
}

// ledgers reads which a node has had; none when it may not take part.
func (w *worker) ledgers(ctx context.Context, nodeID string) (ledgers, error) {
	n, err := w.store.Nodes.Get(ctx, nodeID)
	switch {
	case errors.Is(err, kv.ErrNotFound), errors.Is(err, kv.ErrUndecodable):
		return ledgers{}, nil
	case err != nil:
		return ledgers{}, err
	case n.Membership != store.Approved:
		return ledgers{}, nil
	}
	return ledgers{n.Former, n.Ledger}, nil
}

// replaced is what is remembered of the ledgers before one whose events come after a position.
func replaced(n *store.NodeRecord, by string, position uint64) []store.FormerLedger {
	if n.Ledger == "" || n.Ledger == by {
		return n.Former
	}
	former := slices.DeleteFunc(slices.Clone(n.Former), func(f store.FormerLedger) bool { return f.Ledger == n.Ledger || f.Ledger == by })
	former = append(former, store.FormerLedger{Ledger: n.Ledger, Until: position})
	return former[max(0, len(former)-maxFormer):]
}
