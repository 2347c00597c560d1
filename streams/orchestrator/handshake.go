package orchestrator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"oc-scheduler/store"
	"oc-scheduler/store/id"
	"oc-scheduler/store/kv"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// handshake opens a session. The order of its writes matters: first what the node reads from, then its
// pulse, and last the record that makes it count; whatever a crash leaves behind is made anew by the
// next try, or runs out.
func (c *control) handshake(ctx context.Context, from sender, r *nclprotocol.HandshakeRequest) (*nclprotocol.HandshakeResponse, error) {
	if !c.door.enter(from.nodeID) { // nothing is logged: it may come a thousand times a second
		c.metrics.handshakes.WithLabelValues("refused").Inc()
		return nil, &ncl.RefusedError{Reason: "busy: handshakes of this node come too often"}
	}
	defer c.door.leave(from.nodeID)
	answer, err := c.tryHandshake(ctx, from, r)
	if later, ok := errors.AsType[*notYet](err); ok {
		c.metrics.handshakes.WithLabelValues("refused").Inc()
		return c.turnAway(ctx, from, r, later)
	}
	if refused, ok := errors.AsType[*ncl.RefusedError](err); ok {
		c.metrics.handshakes.WithLabelValues("refused").Inc()
		c.log.WarnContext(ctx, "handshake refused", "node_id", from.nodeID, "reason", refused.Reason)
		return &nclprotocol.HandshakeResponse{Reason: refused.Reason}, nil
	}
	if err != nil {
		c.metrics.handshakes.WithLabelValues("failed").Inc()
		return nil, err
	}
	c.metrics.handshakes.WithLabelValues("accepted").Inc()
	return answer, nil
}

func (c *control) tryHandshake(ctx context.Context, from sender, r *nclprotocol.HandshakeRequest) (*nclprotocol.HandshakeResponse, error) {
	info, err := checkHandshake(from, r)
	if err != nil {
		return nil, err
	}
	if why := c.unproven(from.nodeID, r.NodeInfo.PeerID); why != "" {
		return nil, &ncl.RefusedError{Reason: why}
	}
	end, err := c.turn(ctx, from, r, info)
	if err != nil {
		return nil, err
	}
	defer end()
	stands, err := c.admit(ctx, from, r, info)
	if err != nil {
		return nil, err
	}
	handled, known, err := c.handled(ctx, from.nodeID, r)
	if err != nil {
		return nil, err
	}
	inbound, err := c.placeInbound(ctx, from.nodeID, succession{stands, r.Ledger, known, r.LastSchedulerSequence})
	if err != nil {
		return nil, err
	}
	outPosition, err := c.lastOut(ctx)
	if err != nil {
		return nil, err
	}
	opened := func(n *store.NodeRecord) { // what the session changes
		follow(n, programOf(r))
		n.ProtocolVersion, n.LivenessSeconds = envelope.Version, liveness(r).Seconds()
		n.Former = replaced(n, r.Ledger, outPosition)
		n.Ledger, n.StartedAt, n.LastNodeSequence, n.OutPosition = r.Ledger, r.Started.UTC(), handled, outPosition
		n.NewestNodeSequence = r.NewestSequence
		n.LastSchedulerSequence, n.InStream = inbound.start-1, inbound.created
		n.LedgerFrom, n.Delivered = inbound.from, inbound.had
	}
	if err := c.open(ctx, from, r, info, stands.Session, opened); err != nil {
		return nil, err
	}
	return &nclprotocol.HandshakeResponse{Accepted: true, LastNodeSequence: handled, StartSchedulerSequence: inbound.start}, nil
}

// turn waits until it is this node's turn, which lasts until end is called. One that is known to be refused takes
// nobody's.
func (c *control) turn(ctx context.Context, from sender, r *nclprotocol.HandshakeRequest, info json.RawMessage) (end func(), err error) {
	entry, known := c.store.Nodes.View().Get(from.nodeID)
	if known && (allowed(&entry.Value) != nil || rival(&entry.Value, programOf(r)) != "") {
		switch stands, err := c.store.Nodes.Get(ctx, from.nodeID); { // the view may be behind
		case err != nil && !errors.Is(err, kv.ErrNotFound) && !errors.Is(err, kv.ErrUndecodable):
			return nil, err
		case err == nil && (stands.Membership == store.Rejected || string(stands.Info) == string(info)):
			if err := allowed(&stands); err != nil {
				return nil, err
			}
			if err := c.outdone(ctx, &stands, r); err != nil {
				return nil, err
			}
		}
	}
	return c.turns.wait(ctx)
}

func liveness(r *nclprotocol.HandshakeRequest) time.Duration {
	return r.HeartbeatInterval.Duration() * time.Duration(r.HeartbeatMissFactor)
}

// checkHandshake reports all that is wrong with a request, and returns the info as it is kept.
func checkHandshake(from sender, r *nclprotocol.HandshakeRequest) (json.RawMessage, error) {
	var faults error
	fault := func(wrong bool, format string, args ...any) {
		if wrong {
			faults = errors.Join(faults, fmt.Errorf(format, args...))
		}
	}
	fault(r.NodeInfo.NodeID != from.nodeID, "node_id is %.128q on the subject of %q", r.NodeInfo.NodeID, from.nodeID)
	fault(id.Check(r.Session) != nil, "session is no id")
	fault(r.Session != from.session, "session is not the message's source")
	fault(id.Check(r.Ledger) != nil, "ledger is no id")
	factor := r.HeartbeatMissFactor
	fault(factor < 1 || factor > nclprotocol.MaxMissFactor, "heartbeat_miss_factor is %d", factor)
	if interval := r.HeartbeatInterval.Duration(); factor >= 1 {
		fault(interval < nclprotocol.MinSilence/time.Duration(factor) || interval > nclprotocol.MaxSilence/time.Duration(factor),
			"a silence of %d times %v is not between %v and %v", factor, interval, nclprotocol.MinSilence, nclprotocol.MaxSilence)
	}
	fault(!isTime(r.Started), "started_at has no year of four digits")
	fault(!isTime(from.sent), "the message's time has no year of four digits")
	info, err := encodeInfo(r.NodeInfo)
	if faults = errors.Join(faults, err); faults != nil {
		return nil, &ncl.RefusedError{Reason: oneLine(faults)}
	}
	return info, nil
}

// handled is the last event of the node's ledger that needs not be sent again; known says whether any was
// handled.
func (c *control) handled(ctx context.Context, nodeID string, r *nclprotocol.HandshakeRequest) (last uint64, known bool, err error) {
	cursor, _, err := c.store.Executions.Cursor(ctx, nodeID)
	switch {
	case err != nil:
		return 0, false, err
	case cursor.Ledger != r.Ledger:
		return 0, false, nil
	case cursor.Sequence > r.NewestSequence:
		return 0, true, &notYet{reason: fmt.Sprintf(
			"ledger %s ends with event %d, but event %d of it was handled: it was restored from a copy; begin a new ledger",
			r.Ledger, r.NewestSequence, cursor.Sequence), kept: true, ledger: true}
	}
	return cursor.Sequence, true, nil
}
