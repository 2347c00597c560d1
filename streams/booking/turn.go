package booking

import (
	"context"
	"slices"

	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
)

// turnInto has an owner take what he wants instead of what he had.
func (s *Service) turnInto(ctx context.Context, c *plan.Commit, owner string, had, want []schedule.Booking) error {
	var places []schedule.Place
	by := func(list []schedule.Booking) map[schedule.Place]schedule.Booking {
		all := map[schedule.Place]schedule.Booking{}
		for _, b := range list {
			all[b.Place] = b
			if !slices.Contains(places, b.Place) {
				places = append(places, b.Place)
			}
		}
		return all
	}
	before, after := by(had), by(want)
	stands, err := s.plan.Standing(ctx, owner, places)
	if err != nil {
		return err
	}
	for _, place := range places {
		old, was := before[place]
		b, stays := after[place]
		switch at := stands[place]; {
		case stays && was && at.Live && slices.EqualFunc(old.Intervals, b.Intervals, same):
		case stays && was && at.Live && within(b, old):
			c.Cut(b, at.Revision)
		case stays:
			c.Take(b, at.Revision)
		case at.Live:
			c.Free(old, at.Revision)
		}
	}
	return nil
}

// within says whether a booking takes nothing that it did not before.
func within(b, before schedule.Booking) bool {
	return !slices.ContainsFunc(b.Intervals, func(i schedule.Interval) bool {
		return !slices.ContainsFunc(before.Intervals, func(old schedule.Interval) bool { return same(i, old) })
	})
}

func same(a, b schedule.Interval) bool {
	return a.Start.Equal(b.Start) && a.End.Equal(b.End) && a.ItemID == b.ItemID && string(a.Usage) == string(b.Usage)
}
