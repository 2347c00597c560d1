package ledger

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/nclprotocol"
)

// shownBytes is about how much an offer shows of what is booked; an offer may have nclprotocol.MaxOffer, and its
// capacities need room too.
const shownBytes = 1 << 20

// slot is a booking as an offer shows it.
type slot struct {
	Start      time.Time           `json:"start"`
	End        time.Time           `json:"end"`
	InstanceID string              `json:"instance_id"`
	BookingID  string              `json:"booking_id"`
	Usage      nclprotocol.Amounts `json:"usage,omitempty"` // none: the whole instance

	resource string
	rank     int // those of a lower one are shown first
}

// shown are the slots that are not over, by resource, as far as there is room for them: of each booking the next one,
// so that it is known to be here, and then whatever comes sooner. What is left out nobody misses who decides: the
// scheduler knows its own bookings from its plan. Those that are not named as its are all there.
func shown(booked []nclprotocol.BookingChanged, now time.Time, room int) (map[string][]json.RawMessage, error) {
	all, left := map[string][]json.RawMessage{}, room
	for _, s := range inTurn(booked, now) {
		text, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		if left -= len(text) + len(`,`); left < 0 && s.rank > 0 {
			break
		}
		all[s.resource] = append(all[s.resource], text)
	}
	return all, nil
}

// inTurn are the slots that are not over, those to be shown first before the others.
func inTurn(booked []nclprotocol.BookingChanged, now time.Time) (list []slot) {
	for _, b := range booked {
		own := len(list)
		for _, s := range b.Slots {
			if s.End.After(now) {
				list = append(list, slot{s.Start.UTC(), s.End.UTC(), s.InstanceID, b.BookingID, s.Usage, s.ResourceID, 2})
			}
		}
		slices.SortStableFunc(list[own:], sooner)
		for n := range list[own:] {
			switch {
			case !schedule.OfBooking.Is(b.BookingID):
				list[own+n].rank = 0
			case n == 0:
				list[own+n].rank = 1
			}
		}
	}
	slices.SortStableFunc(list, func(a, b slot) int { return cmp.Or(cmp.Compare(a.rank, b.rank), sooner(a, b)) })
	return list
}

func sooner(a, b slot) int { return cmp.Or(a.Start.Compare(b.Start), a.End.Compare(b.End)) }
