package booking

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
)

// displacedBy is told to those who had to give way. It does not tell to what: that may be of another group.
func displacedBy(subject string) run.Displace {
	return run.Displace{By: subject, Reason: "others have taken what was booked, by preemption"}
}

// displace has those give way, in a commit, who were found to. It fails as plan.Schedule does.
func (v *sight) displace(ctx context.Context, c *plan.Commit) error {
	for _, id := range slices.Sorted(maps.Keys(v.givers)) {
		if err := v.giveWay(ctx, c, v.givers[id]); err != nil {
			return err
		}
	}
	return nil
}

func (v *sight) giveWay(ctx context.Context, c *plan.Commit, g *giver) error {
	if len(g.gone) == 0 {
		return nil
	}
	had := g.Bookings(v.now)
	for _, place := range g.gone {
		if err := v.endOccurrence(ctx, c, &g.Occurrences[place]); err != nil {
			return err
		}
	}
	if asked, err := schedule.DecodeRequest(g.Request, schedule.ScheduleBody); err == nil && !asked.Recurs && g.over() {
		timer, err := v.plan.TimerRevision(ctx, g.ID)
		if err != nil {
			return err
		}
		g.State, g.Reason = schedule.Ended, displacedBy(c.By()).Why()
		c.NoTimer(g.ID, timer)
	}
	c.Change(g.Record, displacedBy(c.By()).Why(), g.revision)
	return v.turnInto(ctx, c, g.ID, had, g.Bookings(v.now))
}

// endOccurrence ends an occurrence, and its run.
func (v *sight) endOccurrence(ctx context.Context, c *plan.Commit, o *schedule.Occurrence) error {
	if o.RunID == nil {
		o.State = schedule.Displaced
		return nil
	}
	r, revision, err := v.plan.StoredRun(ctx, *o.RunID)
	if errors.Is(err, kv.ErrNotFound) { // forgotten
		o.State = schedule.Displaced
		return nil
	}
	if err != nil {
		return err
	}
	timer, err := v.plan.TimerRevision(ctx, r.ID)
	if err != nil {
		return err
	}
	next, due := run.GiveWay(r, displacedBy(c.By()), v.now)
	if due.IsZero() {
		c.NoTimer(r.ID, timer)
	} else {
		c.Timer(r.ID, due, timer)
	}
	c.Run(&next, revision)
	o.State = schedule.OccurrenceState(next.State)
	o.Bookings = until(o.Bookings, v.now)
	return nil
}

// until is what is taken up to a time.
func until(taken []schedule.Taken, at time.Time) []schedule.Taken {
	list := make([]schedule.Taken, 0, len(taken))
	for _, t := range taken {
		if t.End.After(at) {
			t.End = at
		}
		if t.Start.Before(t.End) {
			list = append(list, t)
		}
	}
	return list
}
