package orchestrator

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"oc-scheduler/store"
	"oc-scheduler/store/kv"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// admit lets a node in that may take part, and returns its record as it stands; else it is refused, and is
// on record as one that wants to.
func (c *control) admit(ctx context.Context, from sender, r *nclprotocol.HandshakeRequest, info json.RawMessage) (store.NodeRecord, error) {
	stands, err := c.store.Nodes.Get(ctx, from.nodeID)
	switch known := err == nil; {
	case known && stands.Membership == store.Approved:
		if err := errors.Join(overtaken(&stands, from, r), c.outdone(ctx, &stands, r)); err != nil || !c.moves(&stands, info) {
			return stands, err
		}
	case errors.Is(err, kv.ErrNotFound) && !c.manual:
		return store.NodeRecord{}, nil
	case !known && !errors.Is(err, kv.ErrNotFound) && !errors.Is(err, kv.ErrUndecodable):
		return store.NodeRecord{}, err
	}
	stream, err := c.inStream(ctx)
	if err != nil {
		return store.NodeRecord{}, err
	}
	delivered, err := reached(ctx, c.js, from.nodeID)
	if err != nil {
		return store.NodeRecord{}, err
	}
	now, err := c.store.Nodes.Change(ctx, from.nodeID, func(n *store.NodeRecord) (*store.NodeRecord, error) {
		if n == nil {
			n = c.newcomer(from.nodeID)
			n.Delivered, n.InStream = stream.CachedInfo().State.LastSeq, stream.CachedInfo().Created
		}
		if string(n.Info) == string(info) {
			return nil, nil
		}
		if c.moves(n, info) {
			suspend(n, info, delivered)
		}
		keepInfo(n, info, c.store.Now())
		n.StartedAt = r.Started.UTC()
		return n, nil
	})
	if err != nil {
		return store.NodeRecord{}, err
	}
	return *now, allowed(now)
}

// newcomer is the record of a node that was never here.
func (c *control) newcomer(nodeID string) *store.NodeRecord {
	n := &store.NodeRecord{NodeID: nodeID, Standing: store.Standing{Membership: store.Approved, State: store.NodeNew, Since: time.Now().UTC()}}
	if c.manual {
		n.Membership = store.Pending
	}
	return n
}

func allowed(n *store.NodeRecord) error {
	switch n.Membership {
	case store.Approved:
		return nil
	case store.Rejected:
		return &notYet{reason: "the node was rejected by an operator"} // who may approve it yet, and then it shall be soon
	}
	return &notYet{reason: "the node waits for approval: `oc-scheduler nodes approve NODE`"}
}

// open makes the session the node's present one, if the one before is still that which it was judged by. Its
// pulse begins before.
func (c *control) open(ctx context.Context, from sender, r *nclprotocol.HandshakeRequest, info json.RawMessage, before string, change func(*store.NodeRecord)) error {
	pulse := store.Pulse{
		Session: from.session, Sequence: from.sequence, LastSchedulerSequence: r.LastSchedulerSequence,
		Free: r.NodeInfo.Free, Queued: r.NodeInfo.Queued,
	}
	if _, err := c.store.Liveness.Beat(ctx, from.nodeID, pulse, liveness(r)); err != nil {
		return err
	}
	now, err := c.store.Nodes.Change(ctx, from.nodeID, func(n *store.NodeRecord) (*store.NodeRecord, error) {
		if n == nil {
			n = c.newcomer(from.nodeID)
		}
		if err := errors.Join(allowed(n), overtaken(n, from, r)); err != nil { // an operator was faster, or the node
			return nil, err
		}
		if why := rival(n, programOf(r)); why != "" && n.Session != before { // another program was
			return nil, &notYet{reason: why, kept: true}
		}
		if n.Session != from.session { // else the answer to the first try was lost
			n.Generation++
		}
		keepInfo(n, info, c.store.Now())
		n.Session, n.InfoSequence, n.HandshakeRequired, n.OfferRefused = from.session, from.sequence, "", nil
		n.State, n.Since, n.Reason, n.OpenedAt = store.NodeConnected, time.Now().UTC(), "", from.sent.UTC()
		change(n)
		return n, nil
	})
	if err != nil {
		return err
	}
	c.log.InfoContext(ctx, "node connected", "node_id", from.nodeID, "generation", now.Generation,
		"last_node_sequence", now.LastNodeSequence, "last_scheduler_sequence", now.LastSchedulerSequence)
	return nil
}

// overtaken refuses a handshake that the same program has followed by another one: the node has given it
// up, and waits for the answer to that.
func overtaken(n *store.NodeRecord, from sender, r *nclprotocol.HandshakeRequest) error {
	if n.Session != from.session && n.StartedAt.Equal(r.Started) && from.sent.Before(n.OpenedAt) {
		return &ncl.RefusedError{Reason: "overtaken by a later handshake"}
	}
	return nil
}

// oneLine is an error without line breaks.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
