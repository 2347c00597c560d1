package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/offer"
	"oc-scheduler/store/origin"
)

// Offers is the bucket of what each node offers of its peer.
type Offers struct {
	keys  *kv.Keys
	nodes *Nodes
	view  *kv.View[OfferRecord]
	gone  *kv.Tombstones
}

// OfferRecord is what a node has told that it offers.
type OfferRecord struct {
	*offer.Offer
	Telling
}

// Telling is one of the times that a node has told what it offers: the numbers rise in its session.
type Telling struct {
	Session  string `json:"session"`
	Sequence uint64 `json:"sequence"`
}

// offerValue is an OfferRecord as it is stored.
type offerValue struct {
	NodeID string `json:"node_id"`
	Telling
	Offer json.RawMessage `json:"offer"`
}

func newOffers(keys *kv.Keys, nodes *Nodes) *Offers {
	view := kv.NewView(keys, decodeOffer)
	return &Offers{keys, nodes, view, kv.KeepRemovals(view)}
}

func decodeOffer(key kv.Key, m kv.Message) (OfferRecord, error) {
	v, err := kv.JSON(func(key kv.Key, v offerValue) error {
		if v.NodeID != key.ID() {
			return errors.New("no offer of this node")
		}
		return nil
	})(key, m)
	if err != nil {
		return OfferRecord{}, err
	}
	o, err := offer.Decode(v.Offer)
	if err != nil {
		return OfferRecord{}, fmt.Errorf("%w: %w", kv.ErrUndecodable, err)
	}
	return OfferRecord{o, v.Telling}, nil
}

// View is this replica's copy of the offers.
func (o *Offers) View() *kv.View[OfferRecord] { return o.view }

// Keep stores what a node has told that it offers; document is its JSON, see offer.Decode. It is
// Stale, and nothing is written, when the session is not the node's present one, or when what the node has told
// later in it stands; it is Stored, too, when it stands already. It fails with a fault.List for a document that
// is no offer, and with kv.ErrUnavailable, kv.ErrUndecodable (the node's record is broken) and kv.ErrTooLarge.
func (o *Offers) Keep(ctx context.Context, nodeID string, t Telling, document []byte) (origin.Outcome, error) {
	if _, err := offer.Decode(document); err != nil {
		return origin.Stale, err
	}
	data, err := json.Marshal(offerValue{nodeID, t, document})
	if err != nil {
		return origin.Stale, fmt.Errorf("%w: %w", kv.ErrUnstorable, err)
	}
	outcome := origin.Stale
	_, err = o.keys.Change(ctx, kv.KeyOf(nodeID), func(last kv.Message) (*kv.Write, error) {
		outcome = origin.Stale
		if present, err := o.isPresent(ctx, nodeID, t.Session); err != nil || !present {
			return nil, err
		}
		switch stands := tellingOf(last); {
		case stands.Session == t.Session && stands.Sequence > t.Sequence:
			return nil, nil
		case stands == t:
			outcome = origin.Stored
			return nil, nil
		}
		outcome = origin.Stored
		return &kv.Write{Data: data}, nil
	})
	if err != nil {
		return origin.Stale, err
	}
	return outcome, nil
}

// isPresent says whether a session is the last that a node has had.
func (o *Offers) isPresent(ctx context.Context, nodeID, session string) (bool, error) {
	n, err := o.nodes.Get(ctx, nodeID)
	if errors.Is(err, kv.ErrNotFound) {
		return false, nil
	}
	return err == nil && n.Session == session, err
}

// tellingOf is that of what stands; the zero value of none, and of a broken one.
func tellingOf(m kv.Message) (t Telling) {
	if m.Live() && json.Unmarshal(m.Data, &t) != nil {
		return Telling{}
	}
	return t
}

// Forget removes what a node offers that is no node any more. Whoever is about to store it finds the removal in
// the way. It fails with kv.ErrUnavailable.
func (o *Offers) Forget(ctx context.Context, nodeID string) error {
	_, err := o.keys.Change(ctx, kv.KeyOf(nodeID), func(last kv.Message) (*kv.Write, error) {
		switch _, err := o.nodes.Get(ctx, nodeID); {
		case errors.Is(err, kv.ErrNotFound):
			return kv.Remove(0), nil
		case errors.Is(err, kv.ErrUndecodable):
			return nil, nil
		default:
			return nil, err
		}
	})
	return err
}
