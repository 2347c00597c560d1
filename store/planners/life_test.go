package planners

import (
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"pgregory.net/rapid"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
)

const simulatedTTL = 20 * time.Second

// keyTwin is one key of the bucket, and beside it what the rules say of it in plain words: which
// events its planner's life has seen, when the last life before was over, and which was the last event
// that was known of it.
type keyTwin struct {
	now  time.Time
	skew time.Duration // by which the clock of the bus is ahead
	last kv.Message    // what stands: a marker has no life
	life life
	dies time.Time // when the server's own marker takes the place of the value

	events  []arrival
	came    []time.Time // by the clock of the bucket
	seen    []arrival   // by this life
	expires time.Time   // of this life
	over    time.Time
	known   uint64
}

// stands is what the code knows: a marker's traces, or the life that it wrote itself.
func (k *keyTwin) stands() life {
	if k.life.firstSeen.IsZero() && k.last.Revision > 0 {
		return ended(k.last)
	}
	return k.life
}

// mark ends whatever stands. Others than this program write markers that know nothing.
func (k *keyTwin) mark(ours bool) {
	var h nats.Header
	if over := k.stands().over(); ours {
		h = past{seq: over.seq, received: over.received}.header()
		k.keep()
	} else {
		k.known = 0
	}
	k.last = kv.Message{Revision: k.last.Revision + 1, Header: h, Stored: k.now}
	k.life, k.seen, k.over = life{}, nil, k.now
}

// keep notes the last event that was known of the life that ends.
func (k *keyTwin) keep() {
	if len(k.seen) > 0 {
		k.known = k.winner().src.Seq
	}
}

func (k *keyTwin) pass(d time.Duration) {
	target := k.now.Add(d)
	if len(k.seen) > 0 && target.After(k.dies) {
		k.now = k.dies
		k.mark(false)
	}
	k.now = target
}

func (k *keyTwin) isOver(a arrival, known uint64, over time.Time) bool {
	return a.src.Seq <= known || a.src.Time.Before(over.Add(-MaxSkew))
}

// expected is the rules again: what a handling has to come to.
func (k *keyTwin) expected(a arrival) verdict {
	stands := len(k.seen) > 0
	switch {
	case stands && a == k.winner():
		return same
	case k.isOver(a, k.known, k.over):
		return late
	case !stands:
		k.seen, k.expires = []arrival{a}, k.now.Add(simulatedTTL)
		return newer
	case !k.now.Before(k.expires) && k.isOver(a, k.winner().src.Seq, k.expires):
		return late
	case !k.now.Before(k.expires), !a.src.Time.Before(k.expires):
		k.keep()
		k.seen, k.over, k.expires = []arrival{a}, k.expires, k.now.Add(simulatedTTL)
		return newer
	}
	if k.seen = append(k.seen, a); k.winner() == a {
		return newer
	}
	return older
}

// winner is the newest of all that this life has seen.
func (k *keyTwin) winner() arrival {
	return slices.MaxFunc(k.seen, func(a, b arrival) int {
		if c := a.generated.Compare(b.generated); c != 0 {
			return c
		}
		return int(a.src.Seq) - int(b.src.Seq)
	})
}

func (k *keyTwin) handle(t *rapid.T, i int) {
	a := k.events[i]
	timeIsUp := len(k.seen) > 0 && !k.now.Before(k.expires)
	again := slices.Contains(k.seen, a)
	afterTheEnd := !k.came[i].Before(k.over)
	want := k.expected(a)
	next, got := a.meet(k.stands(), k.now, simulatedTTL)
	if got != want {
		t.Fatalf("event %d: %v, want %v", i, got, want)
	}
	if again && !timeIsUp && got == newer {
		t.Fatalf("event %d was handled before and is stored again", i)
	}
	if afterTheEnd && !timeIsUp && got == late {
		t.Fatalf("event %d came after the end and is taken for one of before", i)
	}
	if got != newer {
		return
	}
	k.last.Revision++
	k.life = next
	k.dies = k.now.Add(kv.WholeSeconds(next.expires.Sub(k.now)) + 250*time.Millisecond)
	if !next.expires.Equal(k.expires) || !next.generated.Equal(k.winner().generated) {
		t.Fatalf("life %+v, want the end %v and %+v", next, k.expires, k.winner())
	}
}

// However events are delivered, late, again or in any order, however lives end in between, and however
// far the clocks of bus and bucket are apart up to the limit: each event counts for the life in which it
// arrived, none that came after an end is lost, and a redelivery changes nothing.
func TestAnEventCountsForTheLifeInWhichItArrived(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		start := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
		k := &keyTwin{now: start, skew: time.Duration(rapid.Int64Range(-int64(MaxSkew), int64(MaxSkew)).Draw(t, "skew"))}
		pass := func(t *rapid.T) {
			k.pass(time.Duration(rapid.Int64Range(1, int64(simulatedTTL*3/4)).Draw(t, "d")))
		}
		t.Repeat(map[string]func(*rapid.T){
			"time passes": pass,
			"an event arrives": func(t *rapid.T) {
				k.pass(1) // the bus stores one at a time
				generated := start.Add(time.Duration(rapid.IntRange(0, 4).Draw(t, "generated")) * time.Second)
				src := origin.Source{Seq: uint64(len(k.events) + 1), Time: k.now.Add(k.skew), Bus: start.Add(-time.Hour)}
				k.events, k.came = append(k.events, arrival{src, generated}), append(k.came, k.now)
			},
			"an event is handled": func(t *rapid.T) {
				if len(k.events) == 0 {
					t.Skip("none has come")
				}
				k.pass(1)
				k.handle(t, rapid.IntRange(0, len(k.events)-1).Draw(t, "event"))
			},
			"the life is ended": func(t *rapid.T) {
				k.pass(1)
				k.mark(rapid.Bool().Draw(t, "ours"))
			},
		})
	})
}

// An end that knows the last number of its life needs no clock; the numbers are those of one bus.
func TestNumbersNeedNoClock(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	bus := at.Add(-time.Hour)
	p := past{seq: 7, received: at.Add(-time.Minute), ended: at}
	for what, c := range map[string]struct {
		src  origin.Source
		over bool
	}{
		"the last one":                     {origin.Source{Seq: 7, Time: at.Add(-time.Minute), Bus: bus}, true},
		"one before, by a clock far ahead": {origin.Source{Seq: 6, Time: at.Add(time.Hour), Bus: bus}, true},
		"the next one":                     {origin.Source{Seq: 8, Time: at, Bus: bus}, false},
		"by a clock that is behind":        {origin.Source{Seq: 8, Time: at.Add(-MaxSkew), Bus: bus}, false},
		"long before the end":              {origin.Source{Seq: 8, Time: at.Add(-MaxSkew - 1), Bus: bus}, true},
		"the first of a new bus":           {origin.Source{Seq: 1, Time: at.Add(time.Second), Bus: at}, false},
	} {
		if got := p.covers(c.src); got != c.over {
			t.Errorf("%s: over %v, want %v", what, got, c.over)
		}
	}
	if (past{}).covers(origin.Source{Seq: 1, Time: at, Bus: bus}) {
		t.Error("without a life before, something is of one")
	}
}
