package booking

import (
	"sync"

	"oc-scheduler/store/planner"
)

// indexes keeps the index of each peer's newest planner, so that what it has built serves the next who asks.
type indexes struct {
	mu    sync.Mutex
	last  map[string]*planner.Index
	whole map[string]*planner.Index // with all that stands
}

func (x *indexes) of(peerID string, p *planner.Planner) *planner.Index {
	x.mu.Lock()
	defer x.mu.Unlock()
	if last := x.last[peerID]; last != nil && last.Planner() == p {
		return last
	}
	if x.last == nil {
		x.last, x.whole = map[string]*planner.Index{}, map[string]*planner.Index{}
	}
	x.last[peerID] = planner.NewIndex(p)
	delete(x.whole, peerID)
	return x.last[peerID]
}

// laid is the index of a planner under an overlay.
func (x *indexes) laid(p *planner.Planner, o *planner.Overlay) *planner.Index {
	peerID, on := p.PeerID(), x.of(p.PeerID(), p)
	x.mu.Lock()
	defer x.mu.Unlock()
	if last := x.whole[peerID]; last != nil && last.Planner() == p {
		on = last
	}
	x.whole[peerID] = on.With(o)
	return x.whole[peerID]
}
