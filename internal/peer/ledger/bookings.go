package ledger

import (
	"context"
	"slices"
	"strings"
	"time"

	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// Book records that room is kept, all of it, or why not. A booking that is known stays as it is, unless the order
// is of a later revision, or was refused before.
func (l *Ledger) Book(ctx context.Context, order nclprotocol.BookSlots) error {
	_, err := l.change(ctx, func(s *state, now time.Time) *decision {
		before, known := s.bookings[order.BookingID]
		if known && !news(before, order) {
			return nil
		}
		b := nclprotocol.BookingChanged{
			BookingID: order.BookingID, Revision: order.Revision, State: nclprotocol.BookingBooked, At: now, Slots: ahead(order, now),
		}
		switch why := l.obstacle(s.beside(order.BookingID, now), b.Slots, now); {
		case why != "" && known && before.Reason == why:
			return nil
		case why != "" && before.State == nclprotocol.BookingBooked:
			b = before
			b.Reason = why
		case why != "":
			b.State, b.Slots, b.Reason = nclprotocol.BookingRefused, nil, why
		}
		return &decision{watcher.OperationCreate, nclprotocol.TypeBookingChanged, b}
	})
	return err
}

// news says whether an order may change what is known of its booking.
func news(known nclprotocol.BookingChanged, order nclprotocol.BookSlots) bool {
	if known.State == nclprotocol.BookingRefused && order.Revision > 0 {
		return order.Revision >= known.Revision
	}
	return order.Revision > known.Revision
}

// ahead are the slots of an order that are not over; all, when they all are. Of one that never changes nothing is
// left out.
func ahead(order nclprotocol.BookSlots, now time.Time) []nclprotocol.Slot {
	over := func(s nclprotocol.Slot) bool { return !s.End.After(now) }
	left := slices.DeleteFunc(slices.Clone(order.Slots), over)
	if order.Revision == 0 || len(left) == 0 {
		return order.Slots
	}
	return left
}

// Release records that the room of a booking is given back, unless what is known of it is of a later revision. One
// that is not known is released too, and is not booked if its order comes later; one that was refused stays so.
func (l *Ledger) Release(ctx context.Context, order nclprotocol.ReleaseSlots) error {
	_, err := l.change(ctx, func(s *state, now time.Time) *decision {
		b, known := s.bookings[order.BookingID]
		if known && (b.State != nclprotocol.BookingBooked || order.Revision > 0 && order.Revision < b.Revision) {
			return nil
		}
		return &decision{watcher.OperationDelete, nclprotocol.TypeBookingChanged, nclprotocol.BookingChanged{
			BookingID: order.BookingID, Revision: max(order.Revision, b.Revision), State: nclprotocol.BookingReleased, At: now, Reason: order.Reason,
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

// beside are the booked ones without one of them.
func (s *state) beside(bookingID string, now time.Time) []nclprotocol.BookingChanged {
	return slices.DeleteFunc(s.booked(now), func(b nclprotocol.BookingChanged) bool { return b.BookingID == bookingID })
}
