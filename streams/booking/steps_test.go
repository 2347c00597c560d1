package booking_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/schedule"
)

// TestStepsTakeTheirTimeAlone: two steps, one after the other, take all of an instance while they run; what is left of
// the window is others'. A window that is too short for them takes nothing.
func TestStepsTakeTheirTimeAlone(t *testing.T) {
	t.Parallel()
	r := newReplica(t, natstest.Start(t).JetStream(t), 1)
	has(t, "p", map[string]int{"i": 8}, r)
	needs(t, "wf", 8, []string{"p"}, r)
	raw := []byte(`{"id":"steps","graph":{"items":{"a":{"processing":{"duration_s":600}},"b":{"processing":{"duration_s":1200}},
		"n1":{"compute":{"id":"r","peer_id":"p","demand":{"ram_gb":8}}},"n2":{"compute":{"id":"r","peer_id":"p","demand":{"ram_gb":5}}}},
		"links":[{"source":"a","destination":"b"},{"source":"a","destination":"n1"},{"source":"b","destination":"n2"}]}}`)
	if _, _, _, err := r.st.Workflows.Put(t.Context(), "steps", raw, store.Author{Subject: access.Anonymous, Keep: true}, store.Condition{}); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the workflow shows", func() bool {
		_, ok := r.st.Workflows.View().Get("steps")
		return ok
	})
	steps, nine := me, tomorrow()
	steps.WorkflowID = "steps"

	_, err := r.Hold(t.Context(), steps, ask(t, schedule.HoldBody, `{"ttl_s":60,"duration_s":1799,"start":"`+nine.Format(time.RFC3339)+`"}`))
	var faults fault.List
	if !errors.As(err, &faults) || !strings.Contains(faults.Error(), "29m59s") || !strings.Contains(faults.Error(), "30m0s") {
		t.Errorf("a window that is too short: %v", err)
	}
	s, err := r.Book(t.Context(), steps, at(t, nine, ""))
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range [][2]time.Duration{{0, 10 * time.Minute}, {10 * time.Minute, 30 * time.Minute}} {
		if b := s.Occurrences[0].Bookings[n]; !b.Start.Equal(nine.Add(want[0])) || !b.End.Equal(nine.Add(want[1])) {
			t.Errorf("item %s takes its instance from %v to %v, want %v", b.ItemID, b.Start.Sub(nine), b.End.Sub(nine), want)
		}
	}
	if _, err := r.Book(t.Context(), me, at(t, nine.Add(30*time.Minute), "")); err != nil {
		t.Errorf("the rest of the window is taken: %v", err)
	}
}
