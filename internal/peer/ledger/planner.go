package ledger

import (
	"encoding/json"
	"time"

	"oc-scheduler/store/planner"
	"oc-scheduler/streams/nclprotocol"
)

// slot is a booking as a planner shows it.
type slot struct {
	Start      time.Time           `json:"start"`
	End        time.Time           `json:"end"`
	InstanceID string              `json:"instance_id"`
	BookingID  string              `json:"booking_id"`
	Usage      nclprotocol.Amounts `json:"usage,omitempty"` // none: the whole instance
}

// document is a planner as it is published.
type document struct {
	PeerID      string            `json:"peer_id"`
	GeneratedAt time.Time         `json:"generated_at"`
	Capacities  Capacities        `json:"capacities"`
	Schedule    map[string][]slot `json:"schedule"`
}

// Planner is the planner of the peer now: what it has, and what is booked.
func (l *Ledger) Planner(peerID string) ([]byte, error) {
	now := l.clock.Now()
	return json.Marshal(l.document(peerID, now, l.Bookings()))
}

func (l *Ledger) document(peerID string, now time.Time, booked []nclprotocol.BookingChanged) document {
	d := document{peerID, now.UTC(), l.capacities, map[string][]slot{}}
	for _, b := range booked {
		for _, s := range b.Slots {
			if s.End.After(now) {
				d.Schedule[s.ResourceID] = append(d.Schedule[s.ResourceID], slot{s.Start.UTC(), s.End.UTC(), s.InstanceID, b.BookingID, s.Usage})
			}
		}
	}
	return d
}

// index is for questions about bookings; only times and amounts count.
func (l *Ledger) index(now time.Time, booked []nclprotocol.BookingChanged) (*planner.Index, error) {
	text, err := json.Marshal(l.document("self", now, booked))
	if err != nil {
		return nil, err
	}
	p, err := planner.Decode(text, nil)
	if err != nil {
		return nil, err
	}
	return planner.NewIndex(p), nil
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
				used := find(x, resource, instance).Timeline(dimension).MaxUse(at, at+1)
				sums[dimension] = sums[dimension].Add(capacity.Minus(used))
			}
		}
	}
	return sums.Floats(), nil
}

// find is an instance that has capacities, or nil.
func find(x *planner.Index, resource, instance string) *planner.Instance {
	r := x.Resource(resource)
	if r == nil {
		return nil
	}
	for _, i := range r.Instances() {
		if i.ID() == instance {
			return i
		}
	}
	return nil
}
