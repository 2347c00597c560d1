package booking

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sort"
	"strings"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/schedule"
)

// maxGivers is how many schedules may have to give way to one window, so that a batch holds them.
const maxGivers = 100

// preempt has the newest of those who yield give way to a window, and no more of them than it needs, and takes its
// places. There are none, and nobody gives way, when it does not fit even so. It fails with plan.ErrStale, a
// fault.List, and as plan.Schedule does.
func (v *sight) preempt(ctx context.Context, w booking.Window) (taken []schedule.Taken, fits bool, err error) {
	p, err := v.problem()
	if err != nil {
		return nil, false, err
	}
	newest, err := v.fewest(ctx, p, w)
	if err != nil || len(newest) == 0 {
		return nil, false, err
	}
	before := v.givers
	if v.givers, err = v.read(ctx, newest, w); err == nil {
		taken, err = v.spare(p, w, newest, before)
	}
	if err != nil {
		v.givers = before
	}
	return taken, err == nil, err
}

// fewest are schedules, the newest ones first, without all of which a window fits, and not without less of them. There
// are none when it does not fit without all who yield, or they are too many.
func (v *sight) fewest(ctx context.Context, p *booking.Problem, w booking.Window) ([]string, error) {
	all := v.yielding(w)
	var errs []error
	fits := func(away []string) bool {
		if err := ctx.Err(); err != nil {
			errs = append(errs, err)
			return false
		}
		_, fits, err := v.placed(p, w, v.question(set(away)))
		errs = append(errs, err)
		return fits
	}
	n := 1 + sort.Search(min(len(all), maxGivers), func(i int) bool { return fits(all[:i+1]) })
	if n > min(len(all), maxGivers) {
		return nil, errors.Join(errs...)
	}
	needed := slices.Clone(all[:n])
	for i := n - 2; i >= 0; i-- { // but for the oldest one, without which it fits not
		if others := slices.Concat(needed[:i], needed[i+1:]); fits(others) {
			needed = others
		}
	}
	return needed, errors.Join(errs...)
}

// yielding are all who yield where a window needs something, that of the newest booking first.
func (v *sight) yielding(w booking.Window) []string {
	newest := map[string]string{} // by owner: the booking
	_ = v.plan.Look(v.question(nil), func(of func(string) planner.Bookings) error {
		for _, need := range v.workflow.Needs() {
			x := v.index(need.PeerID)
			if x == nil || x.Resource(need.ResourceID) == nil {
				continue
			}
			standing, when := of(need.PeerID), need.Span.Of(planner.Interval{Start: w.Start, End: w.End})
			for _, in := range x.Resource(need.ResourceID).Instances() {
				for s := range standing.Meeting(planner.Ref{ResourceID: need.ResourceID, InstanceID: in.ID()}, when) {
					if s.Yields && s.Owner != v.owner {
						newest[s.Owner] = max(newest[s.Owner], s.BookingID)
					}
				}
			}
		}
		return nil
	})
	return slices.SortedFunc(maps.Keys(newest), func(a, b string) int {
		return cmp.Or(strings.Compare(newest[b], newest[a]), strings.Compare(b, a))
	})
}

func set(ids []string) map[string]bool {
	is := map[string]bool{}
	for _, id := range ids {
		is[id] = true
	}
	return is
}

// read adds schedules to those that give way, with all that they take in a window.
func (v *sight) read(ctx context.Context, ids []string, w booking.Window) (map[string]*giver, error) {
	all := maps.Clone(v.givers)
	for _, id := range ids {
		g := &giver{}
		if known := v.givers[id]; known != nil {
			*g = *known
		} else {
			r, revision, err := v.schedule(ctx, id)
			if errors.Is(err, ErrNotFound) {
				return nil, plan.ErrStale
			}
			if err != nil {
				return nil, err
			}
			g.Record, g.revision = &r, revision
		}
		g.gone = slices.Concat(g.gone, g.meeting(planner.Interval{Start: w.Start, End: w.End}))
		all[id] = g
	}
	return all, nil
}

// spare has those occurrences stay without which a window does not need to be, the oldest ones first, and takes its
// places.
func (v *sight) spare(p *booking.Problem, w booking.Window, newest []string, before map[string]*giver) ([]schedule.Taken, error) {
	list, fits, err := v.placed(p, w, v.question(nil))
	if err != nil {
		return nil, err
	}
	if !fits { // the schedules have changed meanwhile
		return nil, plan.ErrStale
	}
	for _, id := range slices.Backward(newest) {
		of := v.givers[id]
		for _, place := range of.gone {
			if known := before[id]; known != nil && slices.Contains(known.gone, place) {
				continue
			}
			all := v.givers[id]
			v.givers[id] = all.without(place)
			less, fits, err := v.placed(p, w, v.question(nil))
			if err != nil {
				return nil, err
			}
			if !fits {
				v.givers[id] = all
				continue
			}
			list = less
		}
	}
	return v.takeAll(list), nil
}
