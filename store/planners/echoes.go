package planners

import (
	"bytes"
	"sync"

	"github.com/nats-io/nats.go"
)

const (
	// maxEchoes bounds what is remembered of own writes that the view has not met.
	maxEchoes = 1024
	// maxEchoBytes is how large a planner may be that is remembered: rare large ones are decoded again.
	maxEchoBytes = 16 << 10
)

// echoes remembers what this replica has decoded itself and is storing, until the view meets it: the
// same bytes need not be decoded twice.
type echoes struct {
	mu sync.Mutex
	of map[string]echo // by peer
}

type echo struct {
	data   []byte
	record Record
}

func newEchoes() echoes { return echoes{of: map[string]echo{}} }

// expect remembers a planner that is being stored as data. When there are too many, all are forgotten.
func (e *echoes) expect(peerID string, data []byte, r Record) {
	if len(data) > maxEchoBytes {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.of) >= maxEchoes {
		clear(e.of)
	}
	e.of[peerID] = echo{data, r}
}

// meet says what data means if this replica has stored it, and forgets that.
func (e *echoes) meet(peerID string, h nats.Header, data []byte) (r Record, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	own, ok := e.of[peerID]
	if !ok || !bytes.Equal(own.data, data) || byHand(h) || isComposed(h) != own.record.Composed || !pastOf(h).equal(own.record.past) {
		return Record{}, false
	}
	delete(e.of, peerID)
	return own.record, true
}

// forget drops what was expected: it was not stored.
func (e *echoes) forget(peerID string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.of, peerID)
}
