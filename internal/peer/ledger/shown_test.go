package ledger

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"oc-scheduler/streams/nclprotocol"
)

// TestShownWithinBounds: whatever is booked, no booking goes unseen that has room, none but the scheduler's is left
// out, and nothing is shown before what comes sooner.
func TestShownWithinBounds(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		var booked []nclprotocol.BookingChanged
		ahead, foreign := 0, 0
		for n := range rapid.IntRange(0, 5).Draw(t, "bookings") {
			b := nclprotocol.BookingChanged{BookingID: fmt.Sprintf("oc-0123456789abcdefghjkmnp%d", n)}
			own := rapid.Bool().Draw(t, "the scheduler's")
			if !own {
				b.BookingID = fmt.Sprint("b-", n)
			}
			for range rapid.IntRange(1, 6).Draw(t, "slots") {
				start := now.Add(time.Duration(rapid.IntRange(-3, 9).Draw(t, "start")) * time.Hour)
				b.Slots = append(b.Slots, nclprotocol.Slot{ResourceID: rapid.SampledFrom([]string{"r", "s"}).Draw(t, "resource"), InstanceID: "i", Start: start, End: start.Add(time.Hour)})
				if start.Add(time.Hour).After(now) {
					if ahead++; !own {
						foreign++
					}
				}
			}
			booked = append(booked, b)
		}
		room := rapid.IntRange(0, 3000).Draw(t, "room")
		got, err := shown(booked, now, room)
		if err != nil {
			t.Fatal(err)
		}
		slots, bytes := map[string][]slot{}, 0 // by booking
		for _, list := range got {
			for _, text := range list {
				var s slot
				if err := json.Unmarshal(text, &s); err != nil || !s.End.After(now) {
					t.Fatalf("%s: %v", text, err)
				}
				slots[s.BookingID] = append(slots[s.BookingID], s)
				bytes += len(text) + 1
			}
		}
		there, others := 0, 0
		for id, list := range slots {
			if there += len(list); id[:2] == "b-" {
				others += len(list)
			}
		}
		if others != foreign {
			t.Fatalf("%d of %d slots that are not the scheduler's", others, foreign)
		}
		if there < ahead && bytes > max(room, others*200) || bytes <= room-200 && there < ahead {
			t.Fatalf("%d of %d slots in %d bytes of %d", there, ahead, bytes, room)
		}
		for _, b := range booked {
			if len(slots[b.BookingID]) > 1 && missing(b, slots[b.BookingID], now) {
				t.Fatalf("%s shows %v of %v", b.BookingID, slots[b.BookingID], b.Slots)
			}
		}
	})
}

// missing tells whether a slot of a booking is left out that begins before one that is shown.
func missing(b nclprotocol.BookingChanged, list []slot, now time.Time) bool {
	latest := slices.MaxFunc(list, sooner)
	sooner := 0
	for _, s := range b.Slots {
		if s.End.After(now) && s.Start.Before(latest.Start) {
			sooner++
		}
	}
	for _, s := range list {
		if s.Start.Before(latest.Start) {
			sooner--
		}
	}
	return sooner > 0
}

// TestAFullNodeStillOffers: a hundred schedules that are booked as far ahead as can be make no offer that is refused.
func TestAFullNodeStillOffers(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	var booked []nclprotocol.BookingChanged
	for n := range 200 {
		b := nclprotocol.BookingChanged{BookingID: fmt.Sprintf("oc-0123456789abcdefghjkm%03d", n)}
		for k := range 256 {
			start := now.Add(time.Duration(k) * time.Hour)
			b.Slots = append(b.Slots, nclprotocol.Slot{
				ResourceID: "gpu-cluster", InstanceID: fmt.Sprint("i", n), Start: start, End: start.Add(time.Hour),
				Usage: nclprotocol.Amounts{"cpu_cores.x86_64": 8, "gpus": 1, "ram_gb": 32.5},
			})
		}
		booked = append(booked, b)
	}
	got, err := shown(booked, now, shownBytes)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(got)
	seen := map[string]bool{}
	for _, s := range got["gpu-cluster"] {
		var id slot
		_ = json.Unmarshal(s, &id)
		seen[id.BookingID] = true
	}
	if len(text) > shownBytes+1000 || len(text) < shownBytes-1000 || len(seen) != len(booked) {
		t.Errorf("%d bytes show %d of %d bookings", len(text), len(seen), len(booked))
	}
}
