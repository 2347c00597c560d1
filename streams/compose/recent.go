package compose

import (
	"sync"
	"time"

	"oc-scheduler/store/offer"
)

// recent is the last composition: whoever asks for it again, or many at once, get the same.
type recent struct {
	mu      sync.Mutex
	peerID  string
	version uint64
	last    *offer.Composition
}

// compose composes what a peer's nodes offer at that version of its nodes, unless that was done last.
func (r *recent) compose(peerID string, version uint64, offers map[string]*offer.Offer, now time.Time) (*offer.Composition, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last != nil && r.peerID == peerID && r.version == version {
		return r.last, nil
	}
	c, err := offer.Compose(peerID, now, offers)
	if err != nil {
		return nil, err
	}
	r.peerID, r.version, r.last = peerID, version, c
	return c, nil
}
