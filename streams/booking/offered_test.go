package booking_test

import (
	"fmt"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/calendar"
	"oc-scheduler/store/schedule"
)

// TestWhatPreviewOffersCanBeBooked around the next change of the clocks, each time by itself, and all by a schedule,
// which has the same times.
func TestWhatPreviewOffersCanBeBooked(t *testing.T) {
	t.Parallel()
	r := newReplica(t, natstest.Start(t).JetStream(t), 1)
	has(t, "p", map[string]int{"i": 1000}, r)
	needs(t, "wf", 1, []string{"p"}, r)
	for _, name := range []string{"Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo", "Asia/Kolkata", "Pacific/Apia"} {
		zone, err := calendar.Zone(name)
		if err != nil {
			t.Fatal(err)
		}
		from := changeOf(zone).Add(-26 * time.Hour)
		for _, cron := range []string{"30 2 * * *", "*/5 * * * *", "0 0 * * *", "15 2 * * 0", "0 9-17 * * 1-5"} {
			body := fmt.Sprintf(`{"cron":%q,"time_zone":%q,"ambiguity":"both","overlap":"allow","count":3,"duration_s":60,"start":%q}`, cron, name, from.Format(time.RFC3339))
			items, err := r.Preview(t.Context(), me, ask(t, schedule.ScheduleBody, body), 3)
			if err != nil || len(items) != 3 {
				t.Fatalf("%s: %v, %v", body, items, err)
			}
			made := books(t, r, "wf", ask(t, schedule.ScheduleBody, body))
			for n, item := range items {
				if !item.Result.Available {
					t.Errorf("%s: %+v", body, item)
				}
				one := books(t, r, "wf", ask(t, schedule.ScheduleBody, fmt.Sprintf(`{"start":%q,"duration_s":60}`, item.Start.Format(time.RFC3339))))
				if !one.Occurrences[0].Start.Equal(item.Start) {
					t.Errorf("%s: %s is booked at %s", body, item.Start, one.Occurrences[0].Start)
				}
				if n < len(made.Occurrences) && (!made.Occurrences[n].Nominal.Equal(item.Nominal) || !made.Occurrences[n].Start.Equal(item.Start) || made.Occurrences[n].State != schedule.Booked) {
					t.Errorf("%s: time %d is %+v, offered was %+v", body, n, made.Occurrences[n], item)
				}
			}
		}
	}
}

// changeOf is when the clocks of a zone change next, or, where they don't, some time.
func changeOf(zone *time.Location) time.Time {
	now := time.Now().Truncate(time.Hour).Add(48 * time.Hour)
	_, offset := now.In(zone).Zone()
	for at := now; at.Before(now.Add(300 * 24 * time.Hour)); at = at.Add(30 * time.Minute) {
		if _, changed := at.In(zone).Zone(); changed != offset {
			return at.UTC()
		}
	}
	return now.UTC()
}
