package httpapi

import (
	"encoding/json"
	"time"

	"oc-scheduler/store/offer"
)

// offerShown is what a node offers: how much, and for one node alone what.
type offerShown struct {
	ToldAt     time.Time       `json:"told_at"`
	Resources  int             `json:"resources"`
	Instances  int             `json:"instances"`
	Slots      int             `json:"slots"`
	Warnings   []string        `json:"warnings,omitempty"`
	Capacities json.RawMessage `json:"capacities,omitempty"`
	Schedule   json.RawMessage `json:"schedule,omitempty"`

	offer *offer.Offer
}

// offer is what a node offers as this replica knows it; nil: nothing.
func (p *Parts) offer(nodeID string) *offerShown {
	told, ok := p.Offers.Get(nodeID)
	if !ok {
		return nil
	}
	o := &offerShown{ToldAt: told.Stored.UTC(), Warnings: told.Value.Warnings(), offer: told.Value.Offer}
	o.Resources, o.Instances, o.Slots = told.Value.Counts()
	return o
}

// complete adds what is offered.
func (o *offerShown) complete() {
	if o == nil {
		return
	}
	if text, err := o.offer.AppendText(nil); err == nil {
		_ = json.Unmarshal(text, o) // it was written just now
	}
}
