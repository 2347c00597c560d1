package run

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
)

// giveBack puts into a batch what the schedule of a run gives back, and what it knows of it.
func (s *Service) giveBack(ctx context.Context, b *kv.Batch, t turn) error {
	final := slices.ContainsFunc(t.out.History, func(it run.Item) bool { return it.Kind == run.OfRun && it.To.Final() })
	if t.next.ScheduleID == "" || len(t.out.Free) == 0 && !final {
		return nil
	}
	r, revision, err := s.schedule(ctx, t.next.ScheduleID, t.guessed)
	if errors.Is(err, kv.ErrNotFound) { // forgotten meanwhile
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(s.cut(ctx, b, &r, t), s.setSchedule(b, &r, revision, t.by()))
}

// schedule is a schedule and its revision; by a guess as it was seen of late. It fails as Get does.
func (s *Service) schedule(ctx context.Context, id string, guess bool) (schedule.Record, uint64, error) {
	if guess {
		if r, revision, ok := s.plan.SeenSchedule(id); ok {
			return r, revision, nil
		}
	}
	return s.plan.Schedule(ctx, id)
}

// cut notes in a schedule how one of its runs stands, and cuts what it has taken for it.
func (s *Service) cut(ctx context.Context, b *kv.Batch, r *schedule.Record, t turn) error {
	i := slices.IndexFunc(r.Occurrences, func(o schedule.Occurrence) bool { return o.RunID != nil && *o.RunID == t.next.ID })
	if i < 0 {
		return nil
	}
	o := &r.Occurrences[i]
	o.State = schedule.OccurrenceState(t.next.State)
	from, ends, places := map[string]time.Time{}, map[schedule.Place][]end{}, []schedule.Place{}
	for _, f := range t.out.Free {
		from[f.ItemID] = f.From
	}
	o.Bookings = slices.Clone(o.Bookings)
	for k := range o.Bookings {
		taken := &o.Bookings[k]
		if at, is := from[taken.ItemID]; is && at.Before(taken.End) {
			if ends[taken.Place] == nil {
				places = append(places, taken.Place)
			}
			ends[taken.Place] = append(ends[taken.Place], end{*taken, at})
			taken.End = at
		}
	}
	o.Bookings = slices.DeleteFunc(o.Bookings, func(taken schedule.Taken) bool { return !taken.End.After(taken.Start) })
	if len(places) == 0 {
		return nil
	}
	stands, err := s.plan.Standing(ctx, r.ID, places)
	if err != nil {
		return err
	}
	var errs []error
	for place, is := range stands {
		if is.Live && !is.Broken {
			errs = append(errs, s.shorten(b, place, is, ends[place]))
		}
	}
	return errors.Join(errs...)
}

// end is what an item takes for an occurrence, and when it needs that no more.
type end struct {
	schedule.Taken
	at time.Time
}

// shorten has a booking take no more of what ends: of that alone, for another occurrence may take something meanwhile.
func (s *Service) shorten(b *kv.Batch, place schedule.Place, stands plan.Stands, ends []end) error {
	booking := stands.Booking
	booking.Intervals = slices.Clone(booking.Intervals)
	for _, e := range ends {
		i := slices.IndexFunc(booking.Intervals, func(i schedule.Interval) bool {
			return i.ItemID == e.ItemID && i.Start.Equal(e.Start) && i.End.Equal(e.End)
		})
		if i >= 0 {
			booking.Intervals[i].End = e.at
		}
	}
	booking.Intervals = slices.DeleteFunc(booking.Intervals, func(i schedule.Interval) bool { return !i.End.After(i.Start) })
	key := plan.BookingKey(place, booking.Owner())
	if len(booking.Intervals) == 0 {
		return b.SetAt(s.bookings, key, stands.Revision, s.plan.Freed(stands.Booking, ""))
	}
	data, err := json.Marshal(booking)
	return errors.Join(err, b.SetAt(s.bookings, key, stands.Revision, &kv.Write{Data: data, TTL: s.until(booking.End())}))
}

// until is the TTL of what counts until a time; a little longer, for evaluations judge by the time.
func (s *Service) until(at time.Time) time.Duration {
	return kv.WholeSeconds(at.Sub(s.plan.Now()) + 500*time.Millisecond)
}

func (s *Service) setSchedule(b *kv.Batch, r *schedule.Record, revision uint64, by string) error {
	r.Note(by, s.plan.Now())
	data, err := json.Marshal(r)
	w := &kv.Write{Data: data}
	if r.State.Final() {
		w.TTL = plan.KeptFor
	}
	return errors.Join(err, b.SetAt(s.schedules, kv.KeyOf(r.ID), revision, w))
}
