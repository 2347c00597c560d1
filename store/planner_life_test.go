package store

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const simulatedTTL = 20 * time.Second

// keyTwin is one key of the bucket, and beside it what the rules say of it in plain words: which
// events its planner's life has seen, and when the last life before was over.
type keyTwin struct {
	now  time.Time
	last message // what stands: a marker has no life
	life life
	dies time.Time // when the server's own marker takes the place of the value

	events  []arrival
	handled map[int]bool
	seen    []arrival // by this life
	expires time.Time // of this life
	over    time.Time // no life that was over then may be revived
}

// known is what the code knows: a marker's traces, or the life that it wrote itself.
func (k *keyTwin) known() life {
	if k.life.firstSeen.IsZero() && k.last.Revision > 0 {
		return ended(k.last)
	}
	return k.life
}

// mark ends whatever stands.
func (k *keyTwin) mark() {
	k.last = message{Revision: k.last.Revision + 1, Stored: k.now}
	k.life, k.seen, k.over = life{}, nil, k.now.Add(1)
}

func (k *keyTwin) pass(d time.Duration) {
	target := k.now.Add(d)
	if len(k.seen) > 0 && target.After(k.dies) {
		k.now = k.dies
		k.mark()
	}
	k.now = target
}

// expected is the rules again: what a handling has to come to.
func (k *keyTwin) expected(a arrival) verdict {
	stands := len(k.seen) > 0
	switch {
	case stands && a == k.winner():
		return same
	case a.src.Time.Before(k.over):
		return older
	case !stands:
		k.seen, k.expires = []arrival{a}, k.now.Add(simulatedTTL)
		return newer
	case !a.src.Time.Before(k.expires):
		k.seen, k.over, k.expires = []arrival{a}, k.expires, k.now.Add(simulatedTTL)
		return newer
	case !k.now.Before(k.expires):
		return older
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
	want := k.expected(a)
	next, got := a.meet(k.known(), k.now, simulatedTTL)
	if got != want {
		t.Fatalf("event %d: %v, want %v", i, got, want)
	}
	if k.handled[i] && got == newer {
		t.Fatalf("event %d was handled before and is stored again", i)
	}
	k.handled[i] = true
	if got != newer {
		return
	}
	k.last.Revision++
	k.life = next
	k.dies = k.now.Add(roundUp(next.expires.Sub(k.now)) + 250*time.Millisecond)
	if !next.expires.Equal(k.expires) || !next.generated.Equal(k.winner().generated) {
		t.Fatalf("life %+v, want the end %v and %+v", next, k.expires, k.winner())
	}
}

// However events are delivered, late, again or in any order, and however lives end in between, each
// counts for the life in which it arrived, and a redelivery changes nothing.
func TestAnEventCountsForTheLifeInWhichItArrived(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		start := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
		k := &keyTwin{now: start, handled: map[int]bool{}}
		pass := func(t *rapid.T) {
			k.pass(time.Duration(rapid.Int64Range(1, int64(simulatedTTL*3/4)).Draw(t, "d")))
		}
		t.Repeat(map[string]func(*rapid.T){
			"time passes": pass,
			"an event arrives": func(t *rapid.T) {
				k.pass(1) // the bus stores one at a time
				generated := start.Add(time.Duration(rapid.IntRange(0, 4).Draw(t, "generated")) * time.Second)
				k.events = append(k.events, arrival{Source{Seq: uint64(len(k.events) + 1), Time: k.now, Bus: start}, generated})
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
				k.mark()
			},
		})
	})
}
