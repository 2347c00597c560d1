package booking_test

import (
	"fmt"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/calendar"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

// offer is a request around a change of the clocks, and what was booked of what it offers.
type offer struct {
	*testing.T
	*replica
	body   string
	seen   map[string]bool // what was offered before
	booked map[int64]bool  // starts that were booked by themselves
}

// TestWhatPreviewOffersCanBeBooked around the next two changes of the clocks, whatever is to become of times that do not
// exist, or twice: each time by itself, and all by a schedule, which has the same times.
func TestWhatPreviewOffersCanBeBooked(t *testing.T) {
	t.Parallel()
	r := newReplica(t, natstest.Start(t).JetStream(t), 1)
	has(t, "p", map[string]int{"i": 1_000_000}, r)
	needs(t, "wf", 1, []string{"p"}, r)
	before := map[string]time.Duration{ // of the change, for a few times on either side
		"30 2 * * *": 26 * time.Hour, "*/5 * * * *": 10 * time.Minute, "0 0 * * *": 26 * time.Hour, "15 2 * * 0": 26 * time.Hour, "0 9-17 * * 1-5": 26 * time.Hour,
	}
	for _, name := range []string{"Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "Asia/Kolkata", "Pacific/Apia"} {
		zone, err := calendar.Zone(name)
		if err != nil {
			t.Fatal(err)
		}
		first := changeOf(zone, time.Now().Add(48*time.Hour))
		for _, change := range []time.Time{first, changeOf(zone, first.Add(time.Hour))} {
			for cron, before := range before {
				seen, booked := map[string]bool{}, map[int64]bool{}
				for _, gap := range []calendar.Gap{calendar.Shift, calendar.Skip} {
					for _, ambiguity := range []calendar.Ambiguity{calendar.First, calendar.Last, calendar.Both} {
						o := offer{t, r, fmt.Sprintf(`{"cron":%q,"time_zone":%q,"gap":%q,"ambiguity":%q,"overlap":"allow","count":4,"duration_s":60,"start":%q}`,
							cron, name, gap, ambiguity, change.Add(-before).Format(time.RFC3339)), seen, booked}
						o.stands()
					}
				}
			}
		}
	}
}

// stands holds that what is offered can be booked, and is what a schedule books. Most policies come to the same.
func (o *offer) stands() {
	items, err := o.Preview(o.Context(), me, ask(o, schedule.ScheduleBody, o.body), 4)
	if err != nil || len(items) < 4 {
		o.Fatalf("%s: %v, %v", o.body, items, err)
	}
	times := ""
	for _, item := range items {
		times += fmt.Sprint(item.Nominal.Format(time.RFC3339), item.Start, item.Result.Available)
	}
	if o.seen[times] {
		return
	}
	o.seen[times] = true
	made := books(o.T, o.replica, "wf", ask(o, schedule.ScheduleBody, o.body))
	for n, item := range items {
		if !item.Result.Available {
			o.Errorf("%s: %+v", o.body, item)
		}
		o.alone(item)
		if n < len(made.Occurrences) && (!made.Occurrences[n].Nominal.Equal(item.Nominal) || !made.Occurrences[n].Start.Equal(item.Start) || made.Occurrences[n].State != schedule.Booked) {
			o.Errorf("%s: time %d is %+v, offered was %+v", o.body, n, made.Occurrences[n], item)
		}
	}
}

// alone books one time.
func (o *offer) alone(item booking.Previewed) {
	if o.booked[item.Start.Unix()] {
		return
	}
	o.booked[item.Start.Unix()] = true
	one := books(o.T, o.replica, "wf", ask(o, schedule.ScheduleBody, fmt.Sprintf(`{"start":%q,"duration_s":60}`, item.Start.Format(time.RFC3339))))
	if !one.Occurrences[0].Start.Equal(item.Start) {
		o.Errorf("%s: %s is booked at %s", o.body, item.Start, one.Occurrences[0].Start)
	}
}

// changeOf is when the clocks of a zone change next after a time, or, where they don't, that time.
func changeOf(zone *time.Location, after time.Time) time.Time {
	after = after.Truncate(time.Hour)
	_, offset := after.In(zone).Zone()
	for at := after; at.Before(after.Add(300 * 24 * time.Hour)); at = at.Add(30 * time.Minute) {
		if _, changed := at.In(zone).Zone(); changed != offset {
			return at.UTC()
		}
	}
	return after.UTC()
}
