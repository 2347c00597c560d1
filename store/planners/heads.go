package planners

import "sync"

// maxHeads bounds what is remembered of own writes that the view does not show yet.
const maxHeads = 1024

// heads remembers, for each peer, this replica's last acknowledged write until the view shows it,
// so that a burst for one peer does not run into conflicts with its own echo.
type heads struct {
	mu sync.Mutex
	of map[string]life
}

func newHeads() heads { return heads{of: map[string]life{}} }

func (h *heads) get(peerID string) (life, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l, ok := h.of[peerID]
	return l, ok
}

// newest is this replica's own write, or what is shown where that is as new. It looks for the own write
// first: that is forgotten once the view shows it, and in the other order neither might have it.
func (h *heads) newest(peerID string, shown func() (life, bool)) (newest life, known bool) {
	own, wrote := h.get(peerID)
	newest, known = shown()
	if wrote && (!known || own.revision > newest.revision) {
		return own, true
	}
	return newest, known
}

// put remembers a write. When there are too many, all are forgotten: they only save a reading.
func (h *heads) put(peerID string, l life) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.of) >= maxHeads {
		clear(h.of)
	}
	h.of[peerID] = l
}

// seen forgets the write when the view shows it, or what came after it, perhaps a removal.
func (h *heads) seen(peerID string, revision uint64, removed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l, ok := h.of[peerID]; ok && (removed || l.revision <= revision) {
		delete(h.of, peerID)
	}
}
