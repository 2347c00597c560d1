// Package origin tells where on the OpenCloud bus a stored value came from, and what became of an event.
package origin

import (
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// Source is where on the OpenCloud bus a value came from.
type Source struct {
	Seq  uint64    // sequence in the bus stream
	Time time.Time // when the bus stored the event: its arrival
	Bus  time.Time // when the bus stream was created: sequences start again in a new one
}

// Outcome says what became of an event.
type Outcome int

const (
	// Stored means that the value stands as the event has it, perhaps since an earlier delivery.
	Stored Outcome = iota
	// Stale means that something newer stands; nothing was written.
	Stale
	// Late means that a planner is of a life that is over; nothing was written.
	Late
)

// String is the outcome in one word.
func (o Outcome) String() string {
	switch o {
	case Stale:
		return "stale"
	case Late:
		return "late"
	}
	return "stored"
}

// Headers that carry the source of a value that is stored as it came.
const (
	sourceSeqHeader = "Oc-Source-Seq"
	sourceBusHeader = "Oc-Source-Bus"
)

// Header is the source as it is kept with a value; nil of the zero Source.
func (s Source) Header() nats.Header {
	if s.Seq == 0 {
		return nil
	}
	return nats.Header{
		sourceSeqHeader: {strconv.FormatUint(s.Seq, 10)},
		sourceBusHeader: {s.Bus.UTC().Format(time.RFC3339Nano)},
	}
}

// Of reads the headers of a value; one without them has the zero Source, older than every event.
func Of(h nats.Header) Source {
	seq, err := strconv.ParseUint(h.Get(sourceSeqHeader), 10, 64)
	if err != nil {
		return Source{}
	}
	bus, err := time.Parse(time.RFC3339Nano, h.Get(sourceBusHeader))
	if err != nil {
		return Source{}
	}
	return Source{Seq: seq, Bus: bus}
}

// Equal says whether both name the same event.
func (s Source) Equal(o Source) bool { return s.Seq == o.Seq && s.Bus.Equal(o.Bus) }

// NewerThan says whether the event came after the other: by sequence on one bus, else by bus.
func (s Source) NewerThan(o Source) bool {
	if s.Bus.Equal(o.Bus) {
		return s.Seq > o.Seq
	}
	return s.Bus.After(o.Bus)
}
