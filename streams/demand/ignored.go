package demand

import "sync"

// maxIgnored is how many peers are remembered: of more the log tells again.
const maxIgnored = 10_000

// ignored are the peers of whom planners came that are ignored, as far as the log has told.
type ignored struct {
	mu    sync.Mutex
	peers map[string]struct{}
}

func newIgnored() ignored { return ignored{peers: map[string]struct{}{}} }

// first says whether it is the first time that it is asked of a peer.
func (i *ignored) first(peerID string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if _, known := i.peers[peerID]; known {
		return false
	}
	if len(i.peers) >= maxIgnored {
		clear(i.peers)
	}
	i.peers[peerID] = struct{}{}
	return true
}
