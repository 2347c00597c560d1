package planners

import (
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/store/kv"
)

// Cause says why a planner's life ended.
type Cause int

const (
	// Expired means that its time was up.
	Expired Cause = iota
	// Deleted means that an operator removed it.
	Deleted
	// Unwatched means that the last watcher left.
	Unwatched
	// Departed means that the peer said goodbye.
	Departed
)

// String is the cause in one word.
func (c Cause) String() string {
	switch c {
	case Deleted:
		return "deleted"
	case Unwatched:
		return "unwatched"
	case Departed:
		return "departed"
	}
	return "expired"
}

// End is the end of a planner's life.
type End struct {
	PeerID   string
	Cause    Cause
	Revision uint64    // of the marker
	At       time.Time // when the server stored it
	Again    bool      // it was handed out before: it may have been handled, and the acknowledgement lost

	numbered bool // its marker tells which arrivals are of the life that ended, or is ours
}

// Headers of a marker.
const (
	// reasonHeader says why this program wrote it, where others may have a reason of their own.
	reasonHeader = "Oc-Reason"
	// endHeader names the end that it stands for.
	endHeader = "Oc-End"
)

// endOf reads a marker; other messages, and keys that stand for no peer, are no ends.
func endOf(key kv.Key, m *nats.Msg) (End, bool) {
	if !kv.IsMarker(m.Header) {
		return End{}, false
	}
	md, err := m.Metadata()
	if err != nil || key.ID() == "" {
		return End{}, false
	}
	return End{
		PeerID: key.ID(), Cause: causeOf(m.Header), Revision: md.Sequence.Stream, At: md.Timestamp, Again: md.NumDelivered > 1,
		numbered: m.Header.Get(reasonHeader) != "" || pastOf(m.Header).seq > 0,
	}, true
}

// causeOf reads from a marker who wrote it: the server, this program, or else an operator.
func causeOf(h nats.Header) Cause {
	switch {
	case kv.Lapsed(h), h.Get(reasonHeader) == Expired.String():
		return Expired
	case h.Get(reasonHeader) == Unwatched.String():
		return Unwatched
	case h.Get(reasonHeader) == Departed.String():
		return Departed
	}
	return Deleted
}
