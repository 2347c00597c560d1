package planners

import (
	"time"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/planner"
)

// MaxAhead is how far a peer's clock may be ahead before its word on when a planner was generated
// is replaced by the time of arrival.
const MaxAhead = 5 * time.Minute

// life is what decides whether a planner replaces the stored one, and until when it lives.
type life struct {
	revision  uint64    // of the newest message, a marker's too; 0: there is none
	firstSeen time.Time // zero: there is no planner
	expires   time.Time
	received  time.Time
	generated time.Time // as it counts, see MaxAhead
	seq       uint64
	past      past
}

// arrival is a planner that has come over the bus.
type arrival struct {
	src       origin.Source
	generated time.Time
}

func arrivalOf(pl *planner.Planner, src origin.Source, now time.Time) arrival {
	if src.Time.IsZero() {
		src.Time = now
	}
	return arrival{src, asCounted(pl.GeneratedAt(), src.Time)}
}

func asCounted(generated, received time.Time) time.Time {
	if generated.Sub(received) > MaxAhead {
		return received
	}
	return generated
}

type verdict int

const (
	newer verdict = iota // the arrival is to be stored
	older                // the stored planner stays
	late                 // the arrival is of a life that is over
	same                 // the arrival is what is stored: it was delivered again
)

// outcome is what becomes of the arrival.
func (v verdict) outcome() origin.Outcome {
	switch v {
	case older:
		return origin.Stale
	case late:
		return origin.Late
	}
	return origin.Stored
}

// meet decides between an arrival and what is known; next is the life that follows. Which life the
// arrival belongs to depends on when it came, not on now, so that a redelivery decides alike however
// late it is.
func (a arrival) meet(known life, now time.Time, ttl time.Duration) (next life, v verdict) {
	stands := !known.firstSeen.IsZero()
	switch {
	case stands && a.isOf(known):
		return known, same
	case known.past.covers(a.src):
		return known, late
	case !stands:
		return a.begin(known, now, ttl), newer
	case !a.src.Time.Before(known.expires): // though the old key still stands
		return a.begin(known, now, ttl), newer
	case !now.Before(known.expires): // nothing of the time is left in which it seems to have come
		if known.over().covers(a.src) {
			return known, late
		}
		return a.begin(known, now, ttl), newer
	case a.generated.After(known.generated), a.generated.Equal(known.generated) && a.later(known):
		next = known
		next.received, next.generated, next.seq = a.src.Time, a.generated, a.src.Seq
		return next, newer
	}
	return known, older
}

// begin is a first insertion, after what is known.
func (a arrival) begin(known life, now time.Time, ttl time.Duration) life {
	return life{
		revision: known.revision, firstSeen: now.UTC(), expires: now.Add(ttl).UTC(),
		received: a.src.Time, generated: a.generated, seq: a.src.Seq, past: known.over(),
	}
}

// isOf says whether the arrival is what is stored.
func (a arrival) isOf(known life) bool {
	return a.src.Seq > 0 && a.src.Seq == known.seq && a.src.Time.Equal(known.received)
}

// later says whether the arrival came after the stored planner, which may be of an earlier bus
// whose sequences mean nothing now.
func (a arrival) later(known life) bool {
	return a.src.Seq > known.seq || known.received.Before(a.src.Bus)
}

// write is the planner whose JSON, still open, is body, with the rest of its life as TTL.
func (l life) write(body []byte, now time.Time) *kv.Write {
	return &kv.Write{Data: l.close(body), TTL: max(l.expires.Sub(now), 1), Header: l.past.header()}
}
