package orchestrator

import (
	"context"
	"errors"
	"fmt"

	"oc-scheduler/store"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// offersAtOnce is how many offers a replica reads at a time: after an outage all nodes tell theirs, of up to
// nclprotocol.MaxOffer each, and what else the replica does shall go on.
const offersAtOnce = 8

// offer keeps what a node offers, unless it told something later in the same session. What can't be an offer
// is refused, and on record: the one before stands.
func (c *control) offer(ctx context.Context, from sender, r *nclprotocol.OfferRequest) (*nclprotocol.OfferResponse, error) {
	switch _, over, err := c.present(ctx, from); {
	case err != nil:
		return nil, err
	case over != "":
		c.metrics.offers.WithLabelValues("session over").Inc()
		return &nclprotocol.OfferResponse{HandshakeRequired: true, Reason: over}, nil
	}
	select {
	case c.offers <- struct{}{}:
		defer func() { <-c.offers }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	outcome, err := c.keepOffer(ctx, from, r)
	if unfit, ok := errors.AsType[*unfitError](err); ok {
		c.metrics.offers.WithLabelValues("refused").Inc()
		return c.refuseOffer(ctx, from, r.Sequence, ncl.Reason(unfit.Error()))
	}
	switch {
	case err != nil:
		return nil, err
	case outcome == origin.Stale:
		c.metrics.offers.WithLabelValues("old").Inc()
		return c.passedOver(ctx, from)
	}
	c.metrics.offers.WithLabelValues("accepted").Inc()
	return c.acceptOffer(ctx, from, r.Sequence)
}

// unfitError says why something is no offer; no try helps.
type unfitError struct{ error }

func (c *control) keepOffer(ctx context.Context, from sender, r *nclprotocol.OfferRequest) (origin.Outcome, error) {
	switch size := len(r.Offer); {
	case r.Withheld != "":
		return 0, &unfitError{errors.New(r.Withheld)}
	case r.Sequence == 0:
		return 0, &unfitError{errors.New("sequence is missing")}
	case size > nclprotocol.MaxOffer:
		return 0, &unfitError{fmt.Errorf("the offer has %d bytes, at most %d are allowed", size, nclprotocol.MaxOffer)}
	}
	outcome, err := c.store.Offers.Keep(ctx, from.nodeID, store.Telling{Session: from.session, Sequence: r.Sequence}, r.Offer)
	if _, faulty := errors.AsType[fault.List](err); faulty {
		return outcome, &unfitError{err}
	}
	if errors.Is(err, kv.ErrTooLarge) || errors.Is(err, kv.ErrUnstorable) {
		return outcome, &unfitError{fmt.Errorf("the offer of %d bytes: %w", len(r.Offer), err)}
	}
	return outcome, err
}

// acceptOffer notes that the node tells offers, and that the last one was no fault.
func (c *control) acceptOffer(ctx context.Context, from sender, sequence uint64) (*nclprotocol.OfferResponse, error) {
	_, err := c.store.Nodes.Change(ctx, from.nodeID, func(n *store.NodeRecord) (*store.NodeRecord, error) {
		if n == nil || n.Session != from.session {
			return nil, nil
		}
		mended := n.OfferRefused != nil && n.OfferRefused.Sequence < sequence
		if n.TellsOffers && !mended {
			return nil, nil
		}
		n.TellsOffers = true
		if mended {
			n.OfferRefused = nil
		}
		return n, nil
	})
	return &nclprotocol.OfferResponse{Accepted: err == nil}, err
}

// refuseOffer notes why, for operators, unless the node has told a later one.
func (c *control) refuseOffer(ctx context.Context, from sender, sequence uint64, reason string) (*nclprotocol.OfferResponse, error) {
	news := false
	_, err := c.store.Nodes.Change(ctx, from.nodeID, func(n *store.NodeRecord) (*store.NodeRecord, error) {
		news = false
		kept, _ := c.store.Offers.View().Get(from.nodeID)
		later := kept.Value.Session == from.session && kept.Value.Sequence > sequence
		if n == nil || n.Session != from.session || later || n.OfferRefused != nil && n.OfferRefused.Sequence >= sequence {
			return nil, nil
		}
		news = true
		n.OfferRefused = &store.OfferRefusal{Sequence: sequence, Reason: reason, At: c.store.Now().UTC()}
		return n, nil
	})
	if news && err == nil {
		c.log.WarnContext(ctx, "an offer is refused", "node_id", from.nodeID, "reason", reason)
	}
	return &nclprotocol.OfferResponse{Reason: reason}, err
}

// passedOver answers an offer that changed nothing: it was overtaken, or the session has ended meanwhile.
func (c *control) passedOver(ctx context.Context, from sender) (*nclprotocol.OfferResponse, error) {
	n, err := c.store.Nodes.Get(ctx, from.nodeID)
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		return nil, err
	}
	if over := sessionOver(n, from.session); over != "" {
		return &nclprotocol.OfferResponse{HandshakeRequired: true, Reason: over}, nil
	}
	return &nclprotocol.OfferResponse{Accepted: true}, nil
}

// lacksOffer says whether a node has told an offer that is not there any more.
func (c *control) lacksOffer(n *store.NodeRecord) bool {
	view := c.store.Offers.View()
	if !n.TellsOffers || n.OfferRefused != nil || !view.Current() {
		return false
	}
	_, stands := view.Get(n.NodeID)
	return !stands
}
