package schedule_test

import (
	"encoding/json"
	"testing"
	"time"

	"oc-scheduler/store/schedule"
)

// TestListsPassOverOccurrences, but for when those in conflict are over, and when the next one is.
func TestListsPassOverOccurrences(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	data, err := json.Marshal(schedule.Record{Workflow: []byte(`{"id":"w"}`), Schedule: schedule.Schedule{
		ID: "s-06h2yctfnhw8hw1cwb5f3b3f", WorkflowID: "w", State: schedule.Active, Labels: map[string]string{"a": "b"}, Occurrences: []schedule.Occurrence{
			{Nominal: now, Start: now, End: now.Add(time.Hour), State: schedule.Conflict},
			{Nominal: now, Start: now, End: now.Add(time.Minute), State: "completed"},
			{Nominal: now, Start: now, End: now.Add(2 * time.Hour), State: schedule.Booked},
			{Nominal: now, Start: now.Add(time.Hour), End: now.Add(3 * time.Hour), State: schedule.Pending},
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.DecodeListed(data)
	if err != nil || s.Occurrences != nil || s.WorkflowID != "w" || s.Labels["a"] != "b" {
		t.Errorf("%+v, %v", s, err)
	}
	if before, after := s.Conflicts(now), s.Conflicts(now.Add(time.Hour)); before != 1 || after != 0 {
		t.Errorf("%d in conflict, then %d", before, after)
	}
	if start, end := s.Next(); !start.Equal(now) || !end.Equal(now.Add(2*time.Hour)) {
		t.Errorf("the next one is from %v to %v", start, end)
	}
	for _, broken := range []string{`[`, `{"id":"x","workflow_id":"w","state":"active"}`, `{"id":"s-06h2yctfnhw8hw1cwb5f3b3f","workflow_id":"w","state":"odd"}`} {
		if _, err := schedule.DecodeListed([]byte(broken)); err == nil {
			t.Errorf("%s is read", broken)
		}
	}
}
