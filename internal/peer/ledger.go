package peer

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
)

// booking takes a share of one instance for a while, [start, end).
type booking struct {
	id         string
	resource   string
	instance   string
	start, end time.Time
	usage      Amounts
}

// The ledger's habits: enough bookings that a window is sometimes free and sometimes taken.
const (
	horizon     = 6 * time.Hour
	maxBookings = 12
	grain       = 5 * time.Minute
)

// ledger holds the bookings of a peer, and changes them as a busy site would. It is not safe for
// concurrent use.
type ledger struct {
	capacities Capacities
	random     *rand.Rand
	made       int // bookings ever, for their ids
	bookings   []booking
}

func newLedger(capacities Capacities, random *rand.Rand) *ledger {
	return &ledger{capacities: capacities, random: random}
}

// fill makes a peer that has been at work for a while.
func (l *ledger) fill(now time.Time) {
	for len(l.bookings) < maxBookings/2 {
		l.book(now)
	}
}

// turn lets time pass: what has ended goes, and one booking comes or is cancelled.
func (l *ledger) turn(now time.Time) {
	l.bookings = slices.DeleteFunc(l.bookings, func(b booking) bool { return !b.end.After(now) })
	if l.random.IntN(maxBookings) < len(l.bookings) {
		i := l.random.IntN(len(l.bookings))
		l.bookings = slices.Delete(l.bookings, i, i+1)
		return
	}
	l.book(now)
}

// book takes between half of a random instance and all of it, at a random time within the horizon.
func (l *ledger) book(now time.Time) {
	resource := pick(l.random, l.capacities)
	instance := pick(l.random, l.capacities[resource])
	share := 0.5 + l.random.Float64()/2
	usage := Amounts{}
	for name, capacity := range l.capacities[resource][instance] {
		usage[name] = float64(int(capacity * share))
	}
	start := now.Truncate(grain).Add(grain * time.Duration(l.random.IntN(int(horizon/grain))))
	l.made++
	l.bookings = append(l.bookings, booking{
		id: "b-" + strconv.Itoa(l.made), resource: resource, instance: instance,
		start: start, end: start.Add(grain * time.Duration(3+l.random.IntN(12))), usage: usage,
	})
}

// pick chooses a key at random; sorted first, so that equal seeds choose alike.
func pick[V any](random *rand.Rand, m map[string]V) string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys[random.IntN(len(keys))]
}
