package store

import (
	"time"

	"oc-scheduler/store/planner"
)

// maxAhead is how far a peer's clock may be ahead before its word on when a planner was generated
// is replaced by the time of arrival.
const maxAhead = 5 * time.Minute

// life is what decides whether a planner replaces the stored one, and until when it lives.
type life struct {
	revision  uint64    // of the newest message, a marker's too; 0: there is none
	firstSeen time.Time // zero: there is no planner
	expires   time.Time
	received  time.Time
	generated time.Time // as it counts, see maxAhead
	seq       uint64
}

// arrival is a planner that has come over the bus.
type arrival struct {
	src       Source
	generated time.Time
}

func arrivalOf(pl *planner.Planner, src Source) arrival {
	if src.Time.IsZero() {
		src.Time = time.Now()
	}
	return arrival{src, asCounted(pl.GeneratedAt(), src.Time)}
}

func asCounted(generated, received time.Time) time.Time {
	if generated.Sub(received) > maxAhead {
		return received
	}
	return generated
}

type verdict int

const (
	newer verdict = iota // the arrival is to be stored
	older                // the stored planner stays
	same                 // the arrival is what is stored: it was delivered again
)

// meet decides between an arrival and what is known; next is the life that follows.
func (a arrival) meet(known life, now time.Time, ttl time.Duration) (next life, v verdict) {
	next = life{
		revision: known.revision, firstSeen: now.UTC(), expires: now.Add(ttl).UTC(),
		received: a.src.Time, generated: a.generated, seq: a.src.Seq,
	}
	if known.firstSeen.IsZero() || !now.Before(known.expires) {
		return next, newer
	}
	next.firstSeen, next.expires = known.firstSeen, known.expires
	switch {
	case a.src.Seq > 0 && a.src.Seq == known.seq && a.src.Time.Equal(known.received):
		return known, same
	case a.generated.After(known.generated), a.generated.Equal(known.generated) && a.later(known):
		return next, newer
	}
	return known, older
}

// later says whether the arrival came after the stored planner, which may be of an earlier bus
// whose sequences mean nothing now.
func (a arrival) later(known life) bool {
	return a.src.Seq > known.seq || known.received.Before(a.src.Bus)
}

// write is the planner whose JSON, still open, is body, with the rest of its life as TTL.
func (l life) write(body []byte) *write {
	return &write{data: l.close(body), ttl: roundUp(time.Until(l.expires))}
}
