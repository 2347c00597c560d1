package compose

import (
	"hash/fnv"
	"time"
)

const (
	// gather is how long after a change others are waited for that come with it.
	gather = 50 * time.Millisecond
	// apart is how long after a planner was written it is not written again.
	apart = time.Second
	// turn is how long each replica gives the one before it.
	turn = 150 * time.Millisecond
	// outdated is when views that are not current are looked at again.
	outdated = 500 * time.Millisecond
)

// pace is how long this replica has to wait with a planner that has differed from what it should be for some
// time, and was last written at another; not at all when it is 0 or less.
func (s *Service) pace(peerID string, differed time.Duration, written time.Time) time.Duration {
	due := max(gather-differed, apart-s.store.Now().Sub(written)) // for the first of the replicas
	return due + time.Duration(s.place(peerID))*turn
}

// place is how many of the replicas that live come before this one in the order of a peer.
func (s *Service) place(peerID string) (place int) {
	own := rank(peerID, s.replicaID)
	for replica, lease := range s.store.Leases.View().All() {
		if replica != s.replicaID && !lease.Draining && rank(peerID, replica) > own {
			place++
		}
	}
	return place
}

// rank orders replicas, for each peer in another way.
func rank(peerID, replica string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(peerID))
	_, _ = h.Write([]byte{0})
	_, _ = h.Write([]byte(replica))
	return h.Sum64()
}
