package store

import (
	"sync"

	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
)

// maxUnordered is how many executions that nobody ordered are on record of a node. That there are any is as it should be:
// what the scheduler has forgotten a node's ledger brings back. But it may tell what it likes.
const maxUnordered = 20_000

// unordered counts them, as the view shows them.
type unordered struct {
	mu sync.Mutex
	of map[string]int // by node
}

// replace is told of each execution and the one before it.
func (u *unordered) replace(_ kv.Key, before, after execution.Execution) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if stray(before) {
		if u.of[before.NodeID]--; u.of[before.NodeID] == 0 {
			delete(u.of, before.NodeID)
		}
	}
	if stray(after) {
		u.of[after.NodeID]++
	}
}

func (u *unordered) count(nodeID string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.of[nodeID]
}

func stray(e execution.Execution) bool { return e.ExecutionID != "" && e.OrderedAt.IsZero() }

// Admit says whether this step may make an execution that nobody ordered: a node has so many of them at most.
func (s *Step) Admit() bool {
	if s.x.unordered.count(s.nodeID)+s.made >= maxUnordered {
		s.refused++
		return false
	}
	s.made++
	return true
}

// Refused is how many executions it may not make.
func (s *Step) Refused() int { return s.refused }
