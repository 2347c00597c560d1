package orchestrator

import (
	"hash/fnv"

	"oc-scheduler/store"
)

// partitionOf is where a node belongs.
func partitionOf(nodeID string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(nodeID))
	return int(h.Sum32() % partitionCount)
}

// line is the messages of one node that wait to be handled, and how far the handling has come. What is
// below work belongs to the worker that has taken the line.
type line struct {
	nodeID    string
	partition int
	pending   []received
	working   []received // taken by a worker; nil: by none
	dropped   bool       // this replica has nothing to do with it any more

	known      bool // the rest is as it is stored
	cursor     store.Cursor
	revision   uint64
	unreadable int // messages since the cursor moved
}
