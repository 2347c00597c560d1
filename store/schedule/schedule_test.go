package schedule_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"oc-scheduler/store/planner"
	"oc-scheduler/store/schedule"
)

var nine = time.Date(2026, 12, 1, 9, 0, 0, 0, time.FixedZone("", 3600))

func TestIDsSortByTime(t *testing.T) {
	t.Parallel()
	var ids []string
	for i := range 1000 {
		ids = append(ids, schedule.NewID(schedule.OfSchedule, nine.Add(time.Duration(i*i)*time.Millisecond), [9]byte{byte(255 - i)}))
	}
	if !slices.IsSorted(ids) || len(ids[0]) != len("s-")+24 {
		t.Errorf("%v", ids[:3])
	}
	if a, b := schedule.NewID(schedule.OfHold, nine, [9]byte{1}), schedule.NewID(schedule.OfHold, nine, [9]byte{2}); a == b {
		t.Error("chance makes no difference")
	}
}

func TestWhatAnIDMayBe(t *testing.T) {
	t.Parallel()
	id := schedule.NewID(schedule.OfHold, nine, [9]byte{7})
	for text, want := range map[string]bool{
		id: true, strings.ToUpper(id): false, id + "0": false, id[:len(id)-1]: false, "s-" + id[2:]: false, "": false, "h-": false,
		strings.Replace(id, id[5:6], "l", 1): false, // a letter that is none here
	} {
		if schedule.OfHold.Is(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// TestShapes holds the contract's shapes, member for member.
func TestShapes(t *testing.T) {
	t.Parallel()
	place := schedule.Place{PeerID: "peer-a", ResourceID: "gpu-cluster", InstanceID: "i1"}
	taken := schedule.Taken{
		ID: "oc-1", ItemID: "n2", Place: place, Start: nine.UTC(), End: nine.Add(time.Hour).UTC(), Usage: json.RawMessage(`{"ram_gb":32}`),
	}
	for want, v := range map[string]any{
		`{"id":"s-1","workflow_id":"wf-1","state":"active","reason":"","at_risk":false,"request":{"start":"x"},` +
			`"created_at":"2026-12-01T08:00:00Z","created_by":"me","labels":{},"occurrences":[` +
			`{"nominal":"2026-12-01T09:00:00+01:00","start":"2026-12-01T08:00:00Z","end":"2026-12-01T09:00:00Z","state":"booked",` +
			`"run_id":null,"at_risk":false,"bookings":[` +
			`{"id":"oc-1","item_id":"n2","peer_id":"peer-a","resource_id":"gpu-cluster","instance_id":"i1",` +
			`"start":"2026-12-01T08:00:00Z","end":"2026-12-01T09:00:00Z","usage":{"ram_gb":32}}]}]}`: schedule.Schedule{
			ID: "s-1", WorkflowID: "wf-1", State: schedule.Active, Request: json.RawMessage(`{"start":"x"}`),
			CreatedAt: nine.UTC(), CreatedBy: "me", Labels: map[string]string{},
			Occurrences: []schedule.Occurrence{{
				Nominal: nine, Start: nine.UTC(), End: nine.Add(time.Hour).UTC(), State: schedule.Booked, Bookings: []schedule.Taken{taken},
			}},
		},
		`{"id":"h-1","workflow_id":"wf-1","start":"2026-12-01T08:00:00Z","end":"2026-12-01T09:00:00Z",` +
			`"expires_at":"2026-12-01T07:00:00Z","state":"held","schedule_id":null,"bookings":[]}`: schedule.Hold{
			ID: "h-1", WorkflowID: "wf-1", Start: nine.UTC(), End: nine.Add(time.Hour).UTC(), ExpiresAt: nine.Add(-time.Hour).UTC(),
			State: schedule.Held, Bookings: []schedule.Taken{},
		},
		`{"id":"oc-1","schedule_id":"s-1","workflow_id":"wf-1","peer_id":"peer-a","resource_id":"gpu-cluster","instance_id":"i1",` +
			`"intervals":[{"start":"2026-12-01T08:00:00Z","end":"2026-12-01T09:00:00Z","item_id":"n2","usage":{"ram_gb":32}}]}`: schedule.Booking{
			ID: "oc-1", ScheduleID: "s-1", WorkflowID: "wf-1", Place: place,
			Intervals: []schedule.Interval{{Start: taken.Start, End: taken.End, ItemID: "n2", Usage: taken.Usage}},
		},
	} {
		if got, err := json.Marshal(v); err != nil || string(got) != want {
			t.Errorf("got  %s\nwant %s\n%v", got, want, err)
		}
	}
}

func TestWhatABookingTakes(t *testing.T) {
	t.Parallel()
	b := schedule.Booking{ID: "oc-1", ScheduleID: "s-1", Intervals: []schedule.Interval{
		{Start: nine, End: nine.Add(time.Hour), Usage: json.RawMessage(`{"cpu_cores":{"x86_64":1.0001},"ram_gb":2}`)},
		{Start: nine.Add(time.Hour), End: nine.Add(2 * time.Hour)},
	}}
	slots, err := b.Slots()
	if err != nil || len(slots) != 2 {
		t.Fatal(slots, err)
	}
	want := []planner.Quantity{{Dimension: "cpu_cores.x86_64", Amount: 1001}, {Dimension: "ram_gb", Amount: 2000}}
	if s := slots[0]; s.BookingID != "oc-1" || s.Whole || !slices.Equal(s.Usage, want) || s.End-s.Start != int64(time.Hour) {
		t.Errorf("%+v", s)
	}
	if s := slots[1]; !s.Whole || len(s.Usage) > 0 {
		t.Errorf("%+v", s)
	}
	if !b.End().Equal(nine.Add(2 * time.Hour)) {
		t.Errorf("ends %v", b.End())
	}
	b.ScheduleID, b.HoldID, b.ExpiresAt = "", "h-1", nine
	if !b.End().Equal(nine) || b.Owner() != "h-1" {
		t.Errorf("of a hold that ends before: %v, %v", b.End(), b.Owner())
	}
	for _, usage := range []string{`{"ram_gb":-1}`, `{"ram_gb":"1"}`, `[]`} {
		b.Intervals[0].Usage = json.RawMessage(usage)
		if _, err := b.Slots(); err == nil {
			t.Errorf("usage %s is taken", usage)
		}
	}
}
