package streams

// Watched reports whether anybody subscribes to a peer's planner.
func (h *Hub) Watched(peerID string) bool {
	h.planners.mu.RLock()
	defer h.planners.mu.RUnlock()
	return len(h.planners.subs[peerID]) > 0
}
