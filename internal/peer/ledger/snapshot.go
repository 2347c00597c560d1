package ledger

import (
	"context"
	"encoding/json"
	"time"

	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

const (
	// snapshotEvery is how many events the state is made of at most, besides a snapshot.
	snapshotEvery = 10_000
	// snapshotPart is about how many bytes one event of a snapshot has.
	snapshotPart = 1 << 20
	// keep is how long the end of a booking or execution is known. Orders are kept for 7 days, so none
	// comes again after that.
	keep = 8 * 24 * time.Hour

	checkpoint = "ledger snapshot"
)

// part is one event of a snapshot. A snapshot counts when its last part is there.
type part struct {
	First      bool                         `json:"first,omitempty"`
	Last       bool                         `json:"last,omitempty"`
	Bookings   []nclprotocol.BookingChanged `json:"bookings,omitempty"`
	Executions []Execution                  `json:"executions,omitempty"`
}

func (s *state) snapshot(p part) {
	if p.First {
		s.partial = newState()
	}
	if s.partial == nil {
		return // its beginning was trimmed; what it repeats was read
	}
	for _, b := range p.Bookings {
		s.partial.bookings[b.BookingID] = b
	}
	for _, x := range p.Executions {
		s.partial.executions[x.ExecutionID] = x
	}
	if p.Last {
		s.bookings, s.executions, s.partial = s.partial.bookings, s.partial.executions, nil
	}
}

// snapshotIfDue records the state when there are many events since it was recorded last. When that
// fails it is tried again at the next change. It is called within the turn.
func (l *Ledger) snapshotIfDue(ctx context.Context) {
	if l.applied < l.snapshot+l.every {
		return
	}
	begin := l.applied + 1
	for _, p := range l.state.parts(l.clock.Now().Add(-keep)) {
		if l.record(ctx, decision{watcher.OperationUpdate, typeSnapshot, p}) != nil {
			return
		}
	}
	if l.store.StoreCheckpoint(ctx, checkpoint, begin) == nil {
		l.snapshot = begin
	}
}

// parts are the snapshot of a state without what ended before a time.
func (s *state) parts(before time.Time) []part {
	parts, size := []part{{First: true}}, 0
	room := func(object any) *part {
		encoded, _ := json.Marshal(object) // it was decoded from JSON
		if size += len(encoded); size > snapshotPart && size > len(encoded) {
			parts, size = append(parts, part{}), len(encoded)
		}
		return &parts[len(parts)-1]
	}
	for _, b := range s.bookings {
		if !over(b, before) {
			p := room(b)
			p.Bookings = append(p.Bookings, b)
		}
	}
	for _, x := range s.executions {
		if !x.State.Final() || x.At.After(before) {
			p := room(x)
			p.Executions = append(p.Executions, x)
		}
	}
	parts[len(parts)-1].Last = true
	return parts
}

// over says whether nothing of a booking reaches beyond a time.
func over(b nclprotocol.BookingChanged, t time.Time) bool {
	if b.At.After(t) {
		return false
	}
	for _, s := range b.Slots {
		if b.State == nclprotocol.BookingBooked && s.End.After(t) {
			return false
		}
	}
	return true
}
