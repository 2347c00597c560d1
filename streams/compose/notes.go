package compose

import (
	"sync"
	"time"

	"oc-scheduler/store/planners"
)

// notes are what this replica remembers of peers from one look to the next.
type notes struct {
	mu sync.Mutex
	of map[string]note
}

// note is of one peer.
type note struct {
	version  uint64 // of its nodes, when they were composed last
	told     [16]byte
	since    time.Time // when the planner was first seen to differ; zero: it did not
	failures int
}

func newNotes() notes { return notes{of: map[string]note{}} }

// says tells whether a planner is known to say what the peer's nodes offer at that version.
func (n note) says(version uint64, stands planners.Record) bool {
	return n.version == version && stands.Composed && stands.Told() == n.told
}

func (ns *notes) get(peerID string) note {
	ns.mu.Lock()
	defer ns.mu.Unlock()
	return ns.of[peerID]
}

func (ns *notes) change(peerID string, f func(*note)) note {
	ns.mu.Lock()
	defer ns.mu.Unlock()
	n := ns.of[peerID]
	f(&n)
	if ns.of[peerID] = n; n == (note{}) {
		delete(ns.of, peerID)
	}
	return n
}

// differs is for how long the planner has differed, or may have, from what it should be.
func (ns *notes) differs(peerID string) time.Duration {
	n := ns.change(peerID, func(n *note) {
		if n.since.IsZero() {
			n.since = time.Now()
		}
	})
	return time.Since(n.since)
}

// settle notes that there is nothing to do; of a peer without nodes nothing is left to remember.
func (ns *notes) settle(peerID string, version uint64) {
	ns.change(peerID, func(n *note) {
		if n.since, n.failures = (time.Time{}), 0; version == 0 {
			*n = note{}
		}
	})
}

func (ns *notes) compared(peerID string, version uint64, told [16]byte) {
	ns.change(peerID, func(n *note) { n.version, n.told = version, told })
}

func (ns *notes) failed(peerID string) int {
	return ns.change(peerID, func(n *note) { n.failures++ }).failures
}
