package nclprotocol

import "sync/atomic"

// SequenceTracker holds the last sequence that was processed. It is safe for concurrent use.
type SequenceTracker struct{ last atomic.Uint64 }

// NewSequenceTracker begins at 0: nothing was processed.
func NewSequenceTracker() *SequenceTracker { return &SequenceTracker{} }

// Reset goes to a position, which may be an earlier one.
func (t *SequenceTracker) Reset(sequence uint64) { t.last.Store(sequence) }

// Processed moves the position on; it never goes back.
func (t *SequenceTracker) Processed(sequence uint64) {
	for {
		last := t.last.Load()
		if sequence <= last || t.last.CompareAndSwap(last, sequence) {
			return
		}
	}
}

// LastSequence is the position.
func (t *SequenceTracker) LastSequence() uint64 { return t.last.Load() }
