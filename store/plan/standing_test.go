package plan

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/planner"
)

// TestWhatMeetsATime holds that of what comes and goes on an instance, questions about a time find what a walk
// over all finds.
func TestWhatMeetsATime(t *testing.T) {
	t.Parallel()
	s, all := newStanding(), map[kv.Key]*entry{}
	random := rand.New(rand.NewPCG(1, 2))
	for step := range 3000 {
		key := kv.KeyOf("p", "r", "i", fmt.Sprintf("s-%d", random.IntN(200)))
		var after *entry
		if random.IntN(3) > 0 {
			after = &entry{until: math.MaxInt64}
			for range 1 + random.IntN(3) {
				start := random.Int64N(1000)
				after.slots = append(after.slots, planner.Slot{
					Interval:  planner.Interval{Start: start, End: start + random.Int64N(1<<random.IntN(9))},
					BookingID: "oc-" + string(key),
				})
			}
			after.slots = together(after.slots)
		}
		s.replace(key, all[key], after)
		if all[key] = after; after == nil {
			delete(all, key)
		}
		from := random.Int64N(1000)
		w := planner.Interval{Start: from, End: from + random.Int64N(50)}
		var got []planner.Interval
		if p := s.peers["p"]; p != nil {
			if in := p.instances[planner.Ref{ResourceID: "r", InstanceID: "i"}]; in != nil {
				in.within(w, func(s *planner.Slot) bool { got = append(got, s.Interval); return true })
			}
		}
		var want []planner.Interval
		for e := range maps.Values(all) {
			for _, slot := range e.slots {
				if slot.Start < w.End && slot.End > w.Start && slot.Start < slot.End {
					want = append(want, slot.Interval)
				}
			}
		}
		sortIntervals(got)
		sortIntervals(want)
		if !slices.Equal(got, want) {
			t.Fatalf("step %d, %v: %v, want %v", step, w, got, want)
		}
	}
	for key, e := range all {
		s.replace(key, e, nil)
	}
	if len(s.peers) > 0 || len(s.byID) > 0 {
		t.Errorf("left: %v, %v", s.peers, s.byID)
	}
}

func sortIntervals(list []planner.Interval) {
	slices.SortFunc(list, func(a, b planner.Interval) int {
		return int(a.Start-b.Start)*10000 + int(a.End-b.End)
	})
}

// TestABookingThatPassesOnCountsOnce whichever of its two keys changes first.
func TestABookingThatPassesOnCountsOnce(t *testing.T) {
	t.Parallel()
	at := func(owner string) (kv.Key, *entry) {
		e := &entry{until: math.MaxInt64}
		e.slots = []planner.Slot{{Interval: planner.Interval{Start: 1, End: 9}, BookingID: "oc-1", Owner: owner}}
		return kv.KeyOf("p", "r", "i", owner), e
	}
	count := func(s *standing) (n int) {
		if p := s.peers["p"]; p != nil {
			p.instances[planner.Ref{ResourceID: "r", InstanceID: "i"}].within(planner.Interval{Start: 0, End: 10}, func(*planner.Slot) bool { n++; return true })
		}
		return n
	}
	s := newStanding()
	held, hold := at("h-1")
	booked, schedule := at("s-1")
	s.replace(held, nil, hold)
	s.replace(booked, nil, schedule)
	if count(s) != 1 || s.byID["oc-1"] != schedule {
		t.Errorf("while both keys stand: %d, %+v", count(s), s.byID)
	}
	s.replace(held, hold, nil)
	if count(s) != 1 {
		t.Errorf("after the hold's key has gone: %d", count(s))
	}
	s.replace(booked, schedule, nil)
	if count(s) != 0 || len(s.byID) != 0 || len(s.peers) != 0 {
		t.Errorf("at the end: %d, %v", count(s), s.byID)
	}
}
