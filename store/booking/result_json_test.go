package booking_test

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

// TestResultsAreWhatEncodingJSONMakesOfThem, whatever they hold.
func TestResultsAreWhatEncodingJSONMakesOfThem(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := drawResult(t)
		want, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.JSON(); string(got) != string(want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

func drawResult(t *rapid.T) *booking.Result {
	text := rapid.OneOf(rapid.StringN(0, 20, 60), rapid.Custom(func(t *rapid.T) string {
		return string(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "bytes"))
	})).Draw
	instant := rapid.Custom(func(t *rapid.T) time.Time { return time.Unix(0, rapid.Int64().Draw(t, "ns")).UTC() }).Draw
	amount := rapid.Custom(func(t *rapid.T) planner.Amount { return planner.Amount(rapid.Int64Min(0).Draw(t, "amount")) }).Draw
	size := func(t *rapid.T) int { return rapid.IntRange(0, 3).Draw(t, "size") }
	r := &booking.Result{
		Type: "result", WorkflowID: text(t, "workflow"), Version: text(t, "version"), Status: booking.Status(text(t, "status")),
		Available: rapid.Bool().Draw(t, "available"), Preemptible: rapid.Bool().Draw(t, "preemptible"),
		Start: instant(t, "start"), End: instant(t, "end"), Resources: []booking.Resource{},
		MissingPlanners: []string{}, Warnings: []string{}, ComputedAt: instant(t, "computed"),
	}
	if rapid.Bool().Draw(t, "slot") {
		r.NextSlot = &booking.Slot{Start: instant(t, "slot start"), End: instant(t, "slot end")}
	}
	for range size(t) {
		r.MissingPlanners = append(r.MissingPlanners, text(t, "missing"))
		r.Warnings = append(r.Warnings, text(t, "warning"))
	}
	for range size(t) {
		one := booking.Resource{
			ItemID: text(t, "item"), Kind: workflow.Kind(text(t, "kind")), ResourceID: text(t, "resource"), PeerID: text(t, "peer"),
			Status: booking.Status(text(t, "its status")), Conflicts: []booking.Conflict{},
		}
		if rapid.Bool().Draw(t, "placed") {
			name := text(t, "instance")
			one.InstanceID = &name
		}
		for range size(t) {
			by := []booking.Taker{}
			for range size(t) {
				by = append(by, rapid.SampledFrom([]booking.Taker{{HoldID: "h-" + text(t, "hold")}, {Planner: true}, {ScheduleID: "s-" + text(t, "schedule")}}).Draw(t, "taker"))
			}
			one.Conflicts = append(one.Conflicts, booking.Conflict{
				By: by, Start: instant(t, "conflict start"), End: instant(t, "conflict end"), Dimension: text(t, "dimension"),
				Requested: amount(t, "requested"), Free: amount(t, "free"),
			})
		}
		r.Resources = append(r.Resources, one)
	}
	return r
}
