package ledger_test

import (
	"testing"
	"time"

	"oc-scheduler/internal/peer/ledger"
	"oc-scheduler/streams/nclprotocol"
)

// TestALaterRevisionCounts whatever comes after it, and when it comes twice.
func TestALaterRevisionCounts(t *testing.T) {
	t.Parallel()
	l, store, clock := fresh(t)
	tell := func(bookingID string, revision uint64, slots ...nclprotocol.Slot) nclprotocol.BookingChanged {
		t.Helper()
		for range 2 {
			must(t, l.Book(t.Context(), nclprotocol.BookSlots{BookingID: bookingID, Revision: revision, Slots: slots}))
		}
		b, _ := l.Booking(bookingID)
		return b
	}
	is := func(what string, b nclprotocol.BookingChanged, state nclprotocol.BookingState, revision uint64, slots int, reason string) {
		t.Helper()
		if b.State != state || b.Revision != revision || len(b.Slots) != slots || b.Reason != reason {
			t.Errorf("%s: %+v", what, b)
		}
	}
	first, second, third := slot("gpu", "i1", 1, 2, nil), slot("gpu", "i1", 2, 3, nil), slot("gpu", "i1", 3, 4, nil)
	is("booked", tell("b", 5, first, second), nclprotocol.BookingBooked, 5, 2, "")
	is("of no room", tell("other", 6, second), nclprotocol.BookingRefused, 6, 0, "slot 0: the whole instance is not free")
	is("an earlier one", tell("b", 4, first), nclprotocol.BookingBooked, 5, 2, "")
	is("one of none", tell("b", 0, first), nclprotocol.BookingBooked, 5, 2, "")
	is("moved over itself", tell("b", 7, first, third), nclprotocol.BookingBooked, 7, 2, "")
	is("refused, again", tell("other", 6, second), nclprotocol.BookingBooked, 6, 1, "")
	is("of no room any more", tell("b", 8, first, second), nclprotocol.BookingBooked, 7, 2, "slot 1: the whole instance is not free")
	must(t, release(l, "other", 5))
	is("released too early", tell("b", 8, first, second), nclprotocol.BookingBooked, 7, 2, "slot 1: the whole instance is not free")
	must(t, release(l, "other", 9))
	clock.Advance(3 * time.Hour)
	is("what is over is left out", tell("b", 10, first, third), nclprotocol.BookingBooked, 10, 1, "")
	is("all is over", tell("c", 11, first), nclprotocol.BookingRefused, 11, 0, "slot 0: it is in the past")
	is("released and told late", tell("other", 8, third), nclprotocol.BookingReleased, 9, 0, "done")
	must(t, release(l, "b", 12))
	is("taken again", tell("other", 13, third), nclprotocol.BookingBooked, 13, 1, "")
	if n := events(t, store); n != 10 {
		t.Errorf("%d events, want 10", n)
	}
	again, err := ledger.Open(t.Context(), store, capacities, clock)
	must(t, err)
	if b, _ := again.Booking("other"); b.Revision != 13 {
		t.Errorf("after a restart %+v", b)
	}
}
