package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"oc-scheduler/store"
	"oc-scheduler/streams/nclprotocol"
)

const (
	// comeAgain is when a program that may be let in soon is to ask again.
	comeAgain = 8 * time.Second
	// keptFor is how long the record of a refusal is not written again for the same program.
	keptFor = time.Minute
	// maxEarlier is how many programs are remembered that had a node's ledger before.
	maxEarlier = 8
)

// notYet refuses a program that may be let in soon.
type notYet struct {
	reason string
	kept   bool // on the node's record, for operators
	ledger bool // it has to come with another one
}

// Error is the reason.
func (e *notYet) Error() string { return e.reason }

func programOf(r *nclprotocol.HandshakeRequest) store.Program {
	return store.Program{Ledger: r.Ledger, StartedAt: r.Started.UTC()}
}

// rival says why a program may not take the place of the one that is connected as a node, while that one is
// heard of; empty: it may. A later program with the same ledger is the one before, restarted. When the one
// before comes again all the same, each has a copy.
func rival(n *store.NodeRecord, p store.Program) string {
	switch {
	case n.State != store.NodeConnected || n.Ledger == "" || awaited(n, p):
		return ""
	case n.Ledger != p.Ledger:
		return fmt.Sprintf("another program is connected as this node, with ledger %s where this one has %s: either two programs "+
			"have one node id, or this one's disk is new; it is let in when the other has been silent for %v, or at the word of "+
			"an operator: `oc-scheduler nodes approve NODE`", n.Ledger, p.Ledger, n.Liveness())
	case slices.ContainsFunc(n.EarlierStarts, p.StartedAt.Equal):
		return fmt.Sprintf("another program is connected as this node, with a copy of this one's ledger %s: it was started at %s, "+
			"this one at %s; stop one of them, or let this one take over: `oc-scheduler nodes approve NODE`",
			n.Ledger, n.StartedAt.Format(time.RFC3339), p.StartedAt.Format(time.RFC3339))
	}
	return ""
}

// awaited says whether an operator lets a program take over: by its ledger, which it keeps when it is restarted before it
// asks again. Of two that have one ledger, the start tells which is meant.
func awaited(n *store.NodeRecord, p store.Program) bool {
	return n.Successor != nil && (n.Successor.Same(p) || n.Successor.Ledger == p.Ledger && n.Ledger != p.Ledger)
}

// outdone refuses a program while a rival is heard of. Whose pulse it is that stands does not matter: a
// handshake that was overtaken may have left its own in the rival's place.
func (c *control) outdone(ctx context.Context, n *store.NodeRecord, r *nclprotocol.HandshakeRequest) error {
	why := rival(n, programOf(r))
	if why == "" {
		return nil
	}
	if alive, err := c.store.Liveness.Alive(ctx, n.NodeID); err != nil || !alive {
		return err
	}
	return &notYet{reason: why, kept: true}
}

// follow notes on a record that a program takes the place of the one before.
func follow(n *store.NodeRecord, p store.Program) {
	before := n.Program()
	switch {
	case before.Ledger != p.Ledger:
		n.EarlierStarts, n.Refused, n.Successor = nil, nil, nil
	case !before.Same(p):
		earlier := slices.DeleteFunc(slices.Clone(n.EarlierStarts), p.StartedAt.Equal)
		earlier = append(earlier, before.StartedAt)
		n.EarlierStarts = earlier[max(0, len(earlier)-maxEarlier):]
	}
	if n.Refused != nil && n.Refused.Same(p) {
		n.Refused = nil
	}
	if n.Successor != nil && n.Successor.Same(p) {
		n.Successor = nil
	}
}

// turnAway answers a program that is not let in yet, and keeps for operators that it was there.
func (c *control) turnAway(ctx context.Context, from sender, r *nclprotocol.HandshakeRequest, why *notYet) (*nclprotocol.HandshakeResponse, error) {
	news := !why.kept
	if why.kept {
		_, err := c.store.Nodes.Change(ctx, from.nodeID, func(n *store.NodeRecord) (*store.NodeRecord, error) {
			last, now := (*store.Refusal)(nil), c.store.Now().UTC()
			if n != nil {
				last = n.Refused
			}
			news = n != nil && (last == nil || !last.Same(programOf(r)) || last.Reason != why.reason || now.Sub(last.At).Abs() > keptFor)
			if !news {
				return nil, nil
			}
			n.Refused = &store.Refusal{Program: programOf(r), Reason: why.reason, At: now}
			return n, nil
		})
		if err != nil {
			return nil, err
		}
	}
	if news {
		c.log.WarnContext(ctx, "handshake refused", "node_id", from.nodeID, "reason", why.reason)
	}
	return &nclprotocol.HandshakeResponse{Reason: why.reason, RetryAfter: nclprotocol.Seconds(comeAgain), NewLedger: why.ledger}, nil
}
