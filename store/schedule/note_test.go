package schedule_test

import (
	"testing"
	"time"

	"oc-scheduler/store/history"
	"oc-scheduler/store/schedule"
)

// TestALogTellsEachChangeOnce in an order that begins with the schedule, and ends with its end.
func TestALogTellsEachChangeOnce(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	paris := time.FixedZone("", 3600)
	r := schedule.Record{Schedule: schedule.Schedule{State: schedule.Active, Occurrences: []schedule.Occurrence{
		{Nominal: now.In(paris), State: schedule.Booked}, {Nominal: now.Add(time.Hour).In(paris), State: schedule.Conflict},
	}}}
	r.Note("token:t", now)
	r.Note("token:t", now)
	r.Remember()
	r.Occurrences[0].State = "running"
	r.Note("scheduler", now.Add(-time.Minute)) // by another's clock
	r.State, r.Reason = schedule.Cancelled, "cancelled: why"
	r.Occurrences = r.Occurrences[1:]
	r.Occurrences[0].State = schedule.CancelledOccurrence
	r.Note("oidc:u", now.Add(time.Second))

	first, second := "2026-12-01T10:00:00+01:00", "2026-12-01T11:00:00+01:00"
	want := []history.Item{
		{Kind: history.OfSchedule, To: "active", By: "token:t"},
		{Kind: history.OfOccurrence, ItemID: first, To: "booked", By: "token:t"},
		{Kind: history.OfOccurrence, ItemID: second, To: "conflict", By: "token:t"},
		{Kind: history.OfOccurrence, ItemID: first, From: "booked", To: "running", By: "scheduler"},
		{Kind: history.OfOccurrence, ItemID: second, From: "conflict", To: "cancelled", By: "oidc:u"},
		{Kind: history.OfSchedule, From: "active", To: "cancelled", Reason: "cancelled: why", By: "oidc:u"},
	}
	if len(r.Log) != len(want) {
		t.Fatalf("%d items, want %d: %+v", len(r.Log), len(want), r.Log)
	}
	for i, it := range r.Log {
		if it.Seq != i+1 || i > 0 && it.At.Before(r.Log[i-1].At) {
			t.Errorf("item %d is number %d, at %s", i, it.Seq, it.At)
		}
		it.Seq, it.At = 0, time.Time{}
		if it != want[i] {
			t.Errorf("item %d is %+v, want %+v", i, it, want[i])
		}
	}
	if after := r.Log[2:].After(4); len(after) != 2 || after[0].Seq != 5 {
		t.Errorf("after 4 of what is left: %+v", after)
	}
}
