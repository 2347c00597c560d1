package plan

import (
	"slices"

	"oc-scheduler/store/planner"
)

// Among is what counts beside a planner in an evaluation.
type Among struct {
	Peer    string
	Within  planner.Interval               // what does not meet it need not be known
	At      int64                          // the time by which holds are judged
	Beside  map[planner.Ref][]planner.Slot // what is to be taken in the same commit
	Without func(Owner) bool               // those that do not count; nil: all do
}

// Lay lays over a planner what stands with its peer and meets a time. The cost is that of what meets it.
func (p *Plan) Lay(x *planner.Index, a Among) *planner.Index {
	s := p.taken
	s.mu.RLock()
	defer s.mu.RUnlock()
	counts := func(e *entry) bool { return e != nil && a.At < e.until && (a.Without == nil || !a.Without(e.whose())) }
	slots := map[planner.Ref][]planner.Slot{}
	for ref, beside := range a.Beside {
		slots[ref] = slices.Clone(beside)
	}
	if peer := s.peers[a.Peer]; peer != nil {
		for ref, in := range peer.instances {
			in.within(a.Within, func(slot *planner.Slot) {
				if counts(s.byID[slot.BookingID]) {
					slots[ref] = append(slots[ref], *slot)
				}
			})
		}
	}
	return x.With(planner.NewOverlayOf(slots, func(booking string) bool { return counts(s.byID[booking]) }))
}

// Overlay is all that stands with a peer, for checks, as of a time.
func (p *Plan) Overlay(peerID string, at int64) *planner.Overlay {
	s := p.taken
	s.mu.Lock()
	defer s.mu.Unlock()
	peer := s.peers[peerID]
	if peer == nil {
		return nil
	}
	peer.bring(s, at)
	return peer.overlay
}

// bring brings the overlay up to date.
func (p *peer) bring(s *standing, at int64) {
	for e, ref := range p.expiring {
		if at >= e.until {
			p.changed = append(p.changed, change{ref, e.id()})
			delete(p.expiring, e)
		}
	}
	if p.overlay == nil || len(p.changed) > len(p.instances) {
		slots := map[planner.Ref][]planner.Slot{}
		for ref, in := range p.instances {
			in.all(func(slot *planner.Slot) {
				if e := s.byID[slot.BookingID]; at < e.until {
					slots[ref] = append(slots[ref], *slot)
				}
			})
		}
		p.overlay = planner.NewOverlay(slots)
	} else {
		for _, c := range p.changed {
			var slots []planner.Slot
			if e := s.byID[c.id]; e != nil && at < e.until {
				slots = e.slots
			}
			p.overlay = p.overlay.With(c.ref, c.id, slots)
		}
	}
	p.changed = nil
}

// Owner is whose a booking is.
type Owner struct {
	ID          string // of a schedule or a hold
	Preemptible bool
	Revision    uint64 // of what he takes of the instance
}

// Owner tells whose a booking is; ok is false when it stands no more.
func (p *Plan) Owner(bookingID string) (o Owner, ok bool) {
	p.taken.mu.RLock()
	defer p.taken.mu.RUnlock()
	e := p.taken.byID[bookingID]
	if e == nil {
		return Owner{}, false
	}
	return e.whose(), true
}
