package ledger

import (
	"context"
	"slices"
	"strings"
	"time"

	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// Book records that room is kept, all of it, or why not. A booking that is known stays as it is,
// whatever the order says.
func (l *Ledger) Book(ctx context.Context, order nclprotocol.BookSlots) error {
	_, err := l.change(ctx, func(s *state, now time.Time) *decision {
		if _, known := s.bookings[order.BookingID]; known {
			return nil
		}
		b := nclprotocol.BookingChanged{BookingID: order.BookingID, State: nclprotocol.BookingBooked, At: now, Slots: order.Slots}
		if b.Reason = l.obstacle(s, order.Slots, now); b.Reason != "" {
			b.State, b.Slots = nclprotocol.BookingRefused, nil
		}
		return &decision{watcher.OperationCreate, nclprotocol.TypeBookingChanged, b}
	})
	return err
}

// Release records that the room of a booking is given back. One that is not known is released too, and
// is not booked if its order comes later; one that was refused stays so.
func (l *Ledger) Release(ctx context.Context, bookingID, reason string) error {
	_, err := l.change(ctx, func(s *state, now time.Time) *decision {
		if b, known := s.bookings[bookingID]; known && b.State != nclprotocol.BookingBooked {
			return nil
		}
		return &decision{watcher.OperationDelete, nclprotocol.TypeBookingChanged, nclprotocol.BookingChanged{
			BookingID: bookingID, State: nclprotocol.BookingReleased, At: now, Reason: reason,
		}}
	})
	return err
}

// Booking is what is known of a booking.
func (l *Ledger) Booking(bookingID string) (b nclprotocol.BookingChanged, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, known = l.state.bookings[bookingID]
	return b, known
}

// Bookings are those that hold room now or later, by id.
func (l *Ledger) Bookings() []nclprotocol.BookingChanged {
	now := l.clock.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.booked(now)
}

// booked are the bookings that hold room at a time or later, by id.
func (s *state) booked(now time.Time) []nclprotocol.BookingChanged {
	var booked []nclprotocol.BookingChanged
	for _, b := range s.bookings {
		if b.State == nclprotocol.BookingBooked && slices.ContainsFunc(b.Slots, func(s nclprotocol.Slot) bool { return s.End.After(now) }) {
			booked = append(booked, b)
		}
	}
	slices.SortFunc(booked, func(a, b nclprotocol.BookingChanged) int { return strings.Compare(a.BookingID, b.BookingID) })
	return booked
}
