package ledger

import (
	"context"
	"encoding/json"
	"time"

	"oc-scheduler/store/planner"
	"oc-scheduler/streams/nclprotocol"
)

var _ nclprotocol.OfferProvider = (*Ledger)(nil)

// offer is what the scheduler is told.
type offer struct {
	Capacities Capacities                   `json:"capacities"`
	Schedule   map[string][]json.RawMessage `json:"schedule"`
}

// GetOffer is what the node has, and what is booked on it now and later, as far as an offer can show it.
func (l *Ledger) GetOffer(context.Context) (json.RawMessage, error) {
	schedule, err := shown(l.Bookings(), l.clock.Now(), shownBytes)
	if err != nil {
		return nil, err
	}
	return json.Marshal(offer{l.capacities, schedule})
}

// OfferChanged is closed when the bookings change after the call. That one is over is no change.
func (l *Ledger) OfferChanged() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

// index is for questions about bookings that are not over; only times and amounts count.
func (l *Ledger) index(now time.Time, booked []nclprotocol.BookingChanged) (*planner.Index, error) {
	slots := map[planner.Ref][]planner.Slot{}
	for _, b := range booked {
		for _, s := range b.Slots {
			if !s.End.After(now) {
				continue
			}
			taken, err := taken(s)
			if err != nil {
				return nil, err
			}
			ref := planner.Ref{ResourceID: s.ResourceID, InstanceID: s.InstanceID}
			slots[ref] = append(slots[ref], taken)
		}
	}
	p, err := planner.New(l.capacities.quantities(), slots)
	if err != nil {
		return nil, err
	}
	return planner.NewIndex(p), nil
}

// taken is a slot as it counts; without usage it takes the whole instance.
func taken(s nclprotocol.Slot) (planner.Slot, error) {
	amounts, err := usage(s.Usage)
	if err != nil {
		return planner.Slot{}, err
	}
	interval, err := planner.NewInterval(s.Start, s.End)
	return planner.Slot{Interval: interval, Usage: amounts.quantities(), Whole: len(amounts) == 0}, err
}

// Free is what is free now, summed over all instances, by dimension.
func (l *Ledger) Free() (nclprotocol.Amounts, error) {
	now := l.clock.Now()
	x, err := l.index(now, l.Bookings())
	if err != nil {
		return nil, err
	}
	at, sums := now.UnixNano(), Amounts{}
	for resource, instances := range l.capacities {
		for instance, capacities := range instances {
			for dimension, capacity := range capacities {
				used := x.Resource(resource).Instance(instance).Timeline(dimension).MaxUse(at, at+1)
				sums[dimension] = sums[dimension].Add(capacity.Minus(used))
			}
		}
	}
	return sums.Floats(), nil
}
