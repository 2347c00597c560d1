package run

import (
	"encoding/json"
	"fmt"
	"time"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
	"oc-scheduler/store/workflow"
)

// runsOf makes the runs of the occurrences of a schedule that are due: started, or missed; with early also of those
// that are not, which wait. It fails with kv.ErrUndecodable.
func (s *Service) runsOf(r *schedule.Record, early bool) (begun []turn, err error) {
	w, err := workflow.DecodeStored(r.Workflow)
	if err != nil {
		return nil, fmt.Errorf("schedule %q: %w: %w", r.ID, kv.ErrUndecodable, err)
	}
	now := s.now()
	for i := range r.Occurrences {
		o := &r.Occurrences[i]
		if o.RunID != nil || o.State != schedule.Booked || r.State != schedule.Active || o.Start.After(now.At) && !early {
			continue
		}
		var t turn
		t.next, t.out = run.New(w, s.bookedOf(r, o), r.CreatedBy, now.At)
		if !o.Start.After(now.At) {
			t.next, t.out = run.Advance(t.next, run.Due{}, now)
		}
		o.RunID, o.State = &t.next.ID, schedule.OccurrenceState(t.next.State)
		begun = append(begun, t)
	}
	return begun, nil
}

// defaultCatchUp is how late a run may start, unless its schedule says otherwise.
const defaultCatchUp = 5 * time.Minute

// asked is what runs have to know of what a schedule was asked for.
type asked struct {
	CatchUpS *float64 `json:"catch_up_s"`
	Cron     string   `json:"cron"`
}

// waitsOnly says until when a schedule has nothing to do, if it only waits for its runs: nothing of it is to be booked.
func waitsOnly(r *schedule.Record, now time.Time) (at time.Time, only bool) {
	var a asked
	if err := json.Unmarshal(r.Request, &a); err != nil || a.Cron != "" {
		return time.Time{}, false
	}
	for _, o := range r.Occurrences {
		if o.RunID == nil {
			return time.Time{}, false
		}
	}
	return r.Due(now, false)
}

func (s *Service) bookedOf(r *schedule.Record, o *schedule.Occurrence) run.Booked {
	var a asked
	b := run.Booked{
		RunID: s.plan.NewID(schedule.OfRun), ScheduleID: r.ID, Nominal: o.Nominal.Format(time.RFC3339Nano),
		Start: o.Start, End: o.End, CatchUp: defaultCatchUp, Labels: r.Labels,
	}
	if err := json.Unmarshal(r.Request, &a); err == nil && a.CatchUpS != nil {
		b.CatchUp = time.Duration(*a.CatchUpS * float64(time.Second))
	}
	for _, t := range o.Bookings {
		b.Rooms = append(b.Rooms, run.Room{
			ItemID: t.ItemID, BookingID: t.ID, PeerID: t.PeerID, ResourceID: t.ResourceID, InstanceID: t.InstanceID, Start: t.Start, End: t.End,
		})
	}
	return b
}
