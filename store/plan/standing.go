package plan

import (
	"math"
	"sync"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/planner"
)

// standing is what is taken of all instances, for questions about a time.
type standing struct {
	mu    sync.RWMutex
	peers map[string]*peer
	byID  map[string]*entry // those that count
}

// peer is what is taken of one peer's instances.
type peer struct {
	instances map[planner.Ref]*instance
	overlay   *planner.Overlay // as it was when it was last asked for; nil: never
	changed   []change         // since then
	expiring  map[*entry]planner.Ref
}

// change is a booking to be looked at again.
type change struct {
	ref planner.Ref
	id  string
}

func newStanding() *standing {
	return &standing{peers: map[string]*peer{}, byID: map[string]*entry{}}
}

// replace has a booking count in the place of another of the same key, either of which may be nil. One that has
// passed to another owner counts once, for the new one.
func (s *standing) replace(key kv.Key, before, after *entry) {
	ids, err := key.IDs(Bookings.Tokens)
	if err != nil {
		return // no key of ours
	}
	s.swap(ids[0], planner.Ref{ResourceID: ids[1], InstanceID: ids[2]}, before, after)
}

func (s *standing) swap(peerID string, ref planner.Ref, before, after *entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if before != nil && s.byID[before.id()] == before {
		s.drop(peerID, ref, before)
	}
	if after != nil {
		if known := s.byID[after.id()]; known != nil {
			s.drop(peerID, ref, known)
		}
		s.add(peerID, ref, after)
	}
}

func (s *standing) drop(peerID string, ref planner.Ref, e *entry) {
	delete(s.byID, e.id())
	p := s.peers[peerID]
	if p == nil {
		return // it took nothing
	}
	delete(p.expiring, e)
	p.note(ref, e)
	if in := p.instances[ref]; in != nil && in.drop(e) {
		delete(p.instances, ref)
	}
	if len(p.instances) == 0 {
		delete(s.peers, peerID)
	}
}

func (s *standing) add(peerID string, ref planner.Ref, e *entry) {
	p := s.peers[peerID]
	if p == nil {
		p = &peer{instances: map[planner.Ref]*instance{}, expiring: map[*entry]planner.Ref{}}
		s.peers[peerID] = p
	}
	in := p.instances[ref]
	if in == nil {
		in = &instance{}
		p.instances[ref] = in
	}
	s.byID[e.id()] = e
	if e.until != math.MaxInt64 {
		p.expiring[e] = ref
	}
	p.note(ref, e)
	in.add(e)
}

func (p *peer) note(ref planner.Ref, e *entry) {
	if p.overlay != nil {
		p.changed = append(p.changed, change{ref, e.id()})
	}
}
