package orchestrator

import (
	"hash/fnv"
	"time"

	"github.com/cenkalti/backoff/v5"
	"golang.org/x/time/rate"

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
	failing   time.Time  // since when its tries have failed; zero: the last one succeeded
	due       time.Time  // when it is tried again
	stuck     bool       // it has failed for long: it has one message in hand at most, which is not counted
	missed    uint64     // the first message since the reading began that has to be read again; 0: none

	known      bool // the rest is as it is stored
	cursor     store.Cursor
	revision   uint64
	unreadable int                         // messages since the cursor moved
	pause      *backoff.ExponentialBackOff // between tries; nil: the last one succeeded
	letters    *rate.Limiter               // of what is set aside; nil: nothing was
}

// handled is up to where all of a line is handled that was read up to a position.
func (l *line) handled(read uint64) uint64 {
	for _, rest := range [][]received{l.working, l.pending} {
		if len(rest) > 0 {
			read = min(read, rest[0].position-1)
		}
	}
	if l.missed > 0 {
		read = min(read, l.missed-1)
	}
	return read
}
