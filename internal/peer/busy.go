package peer

import (
	"context"
	cryptorand "crypto/rand"
	"math/rand/v2"
	"strings"
	"time"

	"oc-scheduler/internal/peer/ledger"
	"oc-scheduler/jet"
	"oc-scheduler/store/planner"
	"oc-scheduler/streams/nclprotocol"
)

// The habits of a busy site: enough bookings that a window is sometimes free and sometimes taken.
const (
	horizon     = 3 * time.Hour
	maxBookings = 12
	grain       = 5 * time.Minute
	invented    = "invented-" // how the ids of its bookings begin
)

// busy invents bookings and cancels them, as the users of a site would.
type busy struct {
	ledger *ledger.Ledger
	every  time.Duration
	places []place
}

// place is an instance that can be booked.
type place struct {
	resource, instance string
	capacities         ledger.Amounts
}

func newBusy(l *ledger.Ledger, capacities ledger.Capacities, every time.Duration) *busy {
	b := &busy{ledger: l, every: every}
	for resource, instances := range capacities {
		for instance, amounts := range instances {
			b.places = append(b.places, place{resource, instance, amounts})
		}
	}
	return b
}

// Run changes the bookings until ctx ends. What the ledger refuses, or can't record, is no loss.
func (b *busy) Run(ctx context.Context) error {
	for range maxBookings / 2 {
		_ = b.book(ctx, time.Now())
	}
	jet.Every(ctx, b.every, func(ctx context.Context) { _ = b.turn(ctx, time.Now()) })
	return nil
}

// turn cancels a booking or makes one; the more there are, the likelier is the former.
func (b *busy) turn(ctx context.Context, now time.Time) error {
	var mine []string
	for _, booked := range b.ledger.Bookings() {
		if strings.HasPrefix(booked.BookingID, invented) {
			mine = append(mine, booked.BookingID)
		}
	}
	if rand.IntN(maxBookings) < len(mine) {
		return b.ledger.Release(ctx, nclprotocol.ReleaseSlots{
			BookingID: mine[rand.IntN(len(mine))], Reason: "invented bookings come and go",
		})
	}
	return b.book(ctx, now)
}

// book takes between half of a random instance and all of it, at a random time within the horizon.
func (b *busy) book(ctx context.Context, now time.Time) error {
	p := b.places[rand.IntN(len(b.places))]
	share := 0.5 + 0.5*rand.Float64()
	usage := nclprotocol.Amounts{}
	for name, capacity := range p.capacities {
		usage[name] = float64(int(float64(capacity/planner.Unit) * share))
	}
	start := now.Truncate(grain).Add(grain * time.Duration(rand.IntN(int(horizon/grain))))
	return b.ledger.Book(ctx, nclprotocol.BookSlots{
		BookingID: invented + strings.ToLower(cryptorand.Text()[:10]),
		Slots: []nclprotocol.Slot{{
			ResourceID: p.resource, InstanceID: p.instance, Usage: usage,
			Start: start, End: start.Add(grain * time.Duration(3+rand.IntN(12))),
		}},
	})
}
