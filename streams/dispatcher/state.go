package dispatcher

import (
	"maps"
	"sync"
)

// State is where a Dispatcher stands.
type State struct {
	Running          bool
	LastDispatched   uint64 // sequence of the last message that was handed to the publisher
	LastAcknowledged uint64 // sequence of the last message that the other side's stream has stored
	InFlight         int    // messages in between
	Recoveries       uint64 // how often it began again after LastAcknowledged
	Stalls           uint64 // how many of them because nothing was acknowledged for too long
	Stalled          bool   // the last recovery was for that, and nothing was acknowledged since
	LeftOut          uint64 // events that no message could be made of
	Missing          uint64 // events that the ledger had forgotten before they were sent
	LastError        error  // why it began again, or ended; nil once something was acknowledged
}

// book holds a State, and what the stream will never take.
type book struct {
	mu      sync.Mutex
	state   State
	refused map[uint64]error // by sequence; nil: that was told
}

// refuse notes that the stream refuses a message, and would do so again.
func (b *book) refuse(sequence uint64, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, known := b.refused[sequence]; known {
		return
	}
	if b.refused == nil {
		b.refused = map[uint64]error{}
	}
	maps.DeleteFunc(b.refused, func(old uint64, _ error) bool { return old <= b.state.LastAcknowledged })
	b.refused[sequence] = err
}

// refusal says whether the stream has refused a message, and the first time why.
func (b *book) refusal(sequence uint64) (refused bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	err, refused = b.refused[sequence]
	if refused {
		b.refused[sequence] = nil
	}
	return refused, err
}

// State returns a copy.
func (b *book) State() State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}

func (b *book) update(f func(*State)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f(&b.state)
}

func (b *book) dispatched(sequence uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state.LastDispatched = sequence
	b.state.InFlight++
}

func (b *book) acknowledged(sequence uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state.LastAcknowledged = sequence
	b.state.InFlight--
	b.state.Stalled, b.state.LastError = false, nil
}
