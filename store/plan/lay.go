package plan

import (
	"iter"

	"oc-scheduler/store/planner"
)

// Question is what is to count of what stands.
type Question struct {
	At      int64                                     // holds count that have not ended then
	Beside  map[string]map[planner.Ref][]planner.Slot // by peer: what is to be taken in the same commit
	Without func(Owner) bool                          // those that do not count; nil: all do
}

// Look hands what stands with each peer to f, during whose call it stays the same. What was shown of heads
// before is in it.
func (p *Plan) Look(q Question, f func(of func(peerID string) planner.Bookings) error) error {
	p.taken.mu.RLock()
	defer p.taken.mu.RUnlock()
	return f(func(peerID string) planner.Bookings {
		return &looked{p.taken, p.taken.peers[peerID], q.Beside[peerID], &q}
	})
}

// looked is what counts of one peer.
type looked struct {
	all    *standing
	of     *peer // nil: nothing stands
	beside map[planner.Ref][]planner.Slot
	*Question
}

// Meeting implements planner.Bookings.
func (l *looked) Meeting(ref planner.Ref, w planner.Interval) iter.Seq[*planner.Slot] {
	return func(yield func(*planner.Slot) bool) {
		for i := range l.beside[ref] {
			if s := &l.beside[ref][i]; s.Start < w.End && w.Start < s.End && s.Start < s.End && !yield(s) {
				return
			}
		}
		if l.of == nil || l.of.instances[ref] == nil {
			return
		}
		l.of.instances[ref].within(w, func(s *planner.Slot) bool { return !l.counts(s.BookingID) || yield(s) })
	}
}

// Stands implements planner.Bookings. What does not count stands all the same: where a planner shows it, that is
// no slot of others.
func (l *looked) Stands(bookingID string) bool {
	e := l.all.byID[bookingID]
	return e != nil && l.At < e.until
}

// counts says whether what a booking takes is to be counted.
func (l *looked) counts(bookingID string) bool {
	return l.Stands(bookingID) && (l.Without == nil || !l.Without(l.all.byID[bookingID].whose()))
}

// Overlay is all that stands with a peer now, for checks; nil is nothing.
func (p *Plan) Overlay(peerID string) *planner.Overlay {
	at, s := p.Now().UnixNano(), p.taken
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
		slots := map[planner.Ref][]*planner.Slot{}
		for ref, in := range p.instances {
			in.all(func(slot *planner.Slot) {
				if e := s.byID[slot.BookingID]; at < e.until {
					slots[ref] = append(slots[ref], slot)
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
