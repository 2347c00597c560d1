package ui

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const drawnWorkflow = `{"id":"w","graph":{"items":{
	"gpus":{"compute":{"id":"cluster","peer_id":"north","demand":{"gpus":3}}},
	"fetch":{"processing":{"duration_s":1200}},"align":{"processing":{"duration_s":2400}},
	"disk":{"storage":{"id":"archive","peer_id":"south","demand":{"storage_gb":1200}}},
	"lost":{"compute":{"id":"cluster","peer_id":"nowhere","demand":{"gpus":1}}}},"links":[{"source":"fetch","destination":"align"},{"source":"align","destination":"disk"}]}}`

const drawnPlanners = `{"peer_id":"north","generated_at":"2026-11-30T00:00:00Z","capacities":{"cluster":{"i<0>":{"gpus":8},"i1":{"gpus":4}}},
	"schedule":{"cluster":[{"start":"2026-12-01T10:00:00Z","end":"2026-12-01T12:00:00Z","instance_id":"i1","usage":{"gpus":3}}]}}
{"peer_id":"south","generated_at":"2026-11-30T00:00:00Z","capacities":{"archive":{"s0":{"storage_gb":4000}}},
	"schedule":{"archive":[{"start":"2026-12-01T09:30:00Z","end":"2026-12-01T11:00:00Z","instance_id":"s0","usage":{"storage_gb":3357}}]}}`

// standing is what of ours stands with the peer north: a schedule from the start on, and a hold after half an hour.
func standing(start time.Time) map[string]*planner.Overlay {
	slot := func(owner string, from, to time.Duration, gpus int) *planner.Slot {
		return &planner.Slot{
			Interval:  planner.Interval{Start: start.Add(from).UnixNano(), End: start.Add(to).UnixNano()},
			BookingID: "oc-" + owner, Owner: owner, Usage: []planner.Quantity{{Dimension: "gpus", Amount: planner.Amount(gpus) * planner.Unit}},
		}
	}
	return map[string]*planner.Overlay{"north": planner.NewOverlay(map[planner.Ref][]*planner.Slot{
		{ResourceID: "cluster", InstanceID: "i1"}: {slot("s-1", 0, 90*time.Minute, 1), slot("h-1", 30*time.Minute, 2*time.Hour, 1)},
	})}
}

// drawnOf is a timeline with everything that one can show.
func drawnOf(t *testing.T) Timeline {
	t.Helper()
	w, err := workflow.Decode([]byte(drawnWorkflow))
	if err != nil {
		t.Fatal(err)
	}
	indexes := map[string]*Layers{}
	start := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	stands := standing(start)
	for doc := range bytes.SplitSeq([]byte(drawnPlanners), []byte("}}\n")) {
		if !bytes.HasSuffix(doc, []byte("}}")) {
			doc = append(bytes.Clone(doc), "}}"...)
		}
		p, err := planner.Decode(doc, nil)
		if err != nil {
			t.Fatal(err)
		}
		indexes[p.PeerID()] = LayersOf(planner.NewIndex(p), stands[p.PeerID()])
	}
	of := func(peerID string) *Layers { return indexes[peerID] }
	index := func(peerID string) *planner.Index {
		if layers := of(peerID); layers != nil {
			return layers.All
		}
		return nil
	}
	problem, err := booking.NewProblem(w, index, nil)
	if err != nil {
		t.Fatal(err)
	}
	result, err := problem.Check(booking.Window{Start: start.UnixNano(), End: start.Add(time.Hour).UnixNano(), From: start.UnixNano()})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := ReadAnswer(result.JSON())
	if err != nil {
		t.Fatal(err)
	}
	return WorkflowTimeline(Question{}.Stretch(&answer), start.Add(-time.Hour), w, of, &answer)
}

// TestGoldenTimeline holds what a timeline draws, shape by shape.
func TestGoldenTimeline(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	if err := templates["workflow.html"].ExecuteTemplate(&got, "timeline", drawnOf(t)); err != nil {
		t.Fatal(err)
	}
	holdGolden(t, "testdata/timeline.html", got.Bytes())
}

// holdGolden holds what was rendered against a file.
func holdGolden(t *testing.T, golden string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestManyInstancesAreCounted holds that a page stays bounded.
func TestManyInstancesAreCounted(t *testing.T) {
	t.Parallel()
	capacities := map[planner.Ref][]planner.Quantity{}
	for i := range maxLanes + 7 {
		capacities[planner.Ref{ResourceID: "r", InstanceID: fmt.Sprint(i)}] = []planner.Quantity{{Dimension: "cores", Amount: planner.Unit}}
	}
	p, err := planner.New(capacities, nil)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(0, 0)
	if tl := PeerTimeline(Stretch{now, now.Add(time.Hour)}, now, LayersOf(planner.NewIndex(p), nil)); len(tl.Lanes) != maxLanes || tl.More != 7 {
		t.Errorf("%d lanes and %d more", len(tl.Lanes), tl.More)
	}
}

// BenchmarkTimeline draws 50 items of instances with 5,000 slots each, from planners just read.
func BenchmarkTimeline(b *testing.B) {
	const items, slots = 50, 5000
	doc := `{"id":"w","graph":{"items":{`
	capacities, taken := map[planner.Ref][]planner.Quantity{}, map[planner.Ref][]planner.Slot{}
	start := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for i := range items {
		if i > 0 {
			doc += ","
		}
		doc += fmt.Sprintf(`"n%d":{"compute":{"id":"r%d","peer_id":"p","demand":{"cores":3}}}`, i, i)
		ref := planner.Ref{ResourceID: fmt.Sprintf("r%d", i), InstanceID: "i"}
		capacities[ref] = []planner.Quantity{{Dimension: "cores", Amount: 64 * planner.Unit}}
		for s := range slots {
			at := start.Add(time.Duration(s*17%slots) * 10 * time.Minute).UnixNano()
			taken[ref] = append(taken[ref], planner.Slot{Interval: planner.Interval{Start: at, End: at + int64(20*time.Minute)}, Usage: []planner.Quantity{{Dimension: "cores", Amount: planner.Unit}}})
		}
	}
	w, err := workflow.Decode([]byte(doc + `},"links":[]}}`))
	if err != nil {
		b.Fatal(err)
	}
	p, err := planner.New(capacities, taken)
	if err != nil {
		b.Fatal(err)
	}
	answer := Answer{Start: start, End: start.Add(time.Hour)}
	for b.Loop() {
		layers := LayersOf(planner.NewIndex(p), nil)
		WorkflowTimeline(Question{Zoom: "month"}.Stretch(&answer), start, w, func(string) *Layers { return layers }, &answer)
	}
}
