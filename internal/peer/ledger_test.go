package peer

import (
	"math/rand/v2"
	"testing"
	"time"
)

func TestLedgerStaysWithinItsBounds(t *testing.T) {
	t.Parallel()
	capacities := Capacities{"gpu": {"i0": {"gpus": 8}, "i1": {"gpus": 4}}, "disk": {"s0": {"gb": 100}}}
	now := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	l := newLedger(capacities, rand.New(rand.NewPCG(1, 2)))
	l.fill(now)
	var came, went bool
	for range 2000 {
		before := len(l.bookings)
		now = now.Add(time.Minute)
		l.turn(now)
		came, went = came || len(l.bookings) > before, went || len(l.bookings) < before
		if len(l.bookings) > maxBookings {
			t.Fatalf("%d bookings", len(l.bookings))
		}
		for _, b := range l.bookings {
			if !b.end.After(now) || !b.start.Before(b.end) {
				t.Fatalf("booking %s from %v to %v, now %v", b.id, b.start, b.end, now)
			}
			for name, amount := range b.usage {
				if amount <= 0 || amount > capacities[b.resource][b.instance][name] {
					t.Fatalf("booking %s takes %v %s", b.id, amount, name)
				}
			}
		}
	}
	if !came || !went {
		t.Errorf("bookings came: %v, went: %v", came, went)
	}
}
