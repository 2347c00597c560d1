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
	"disk":{"storage":{"id":"archive","peer_id":"south","demand":{"storage_gb":1200}}},
	"lost":{"compute":{"id":"cluster","peer_id":"nowhere","demand":{"gpus":1}}}},"links":[]}}`

const drawnPlanners = `{"peer_id":"north","generated_at":"2026-11-30T00:00:00Z","capacities":{"cluster":{"i<0>":{"gpus":8},"i1":{"gpus":4}}},
	"schedule":{"cluster":[{"start":"2026-12-01T10:00:00Z","end":"2026-12-01T12:00:00Z","instance_id":"i1","usage":{"gpus":3}}]}}
{"peer_id":"south","generated_at":"2026-11-30T00:00:00Z","capacities":{"archive":{"s0":{"storage_gb":4000}}},
	"schedule":{"archive":[{"start":"2026-12-01T09:30:00Z","end":"2026-12-01T11:00:00Z","instance_id":"s0","usage":{"storage_gb":3357}}]}}`

// drawn is a timeline with everything that one can show.
func drawn(t *testing.T) Timeline {
	t.Helper()
	w, err := workflow.Decode([]byte(drawnWorkflow))
	if err != nil {
		t.Fatal(err)
	}
	indexes := map[string]*planner.Index{}
	for doc := range bytes.SplitSeq([]byte(drawnPlanners), []byte("}}\n")) {
		if !bytes.HasSuffix(doc, []byte("}}")) {
			doc = append(bytes.Clone(doc), "}}"...)
		}
		p, err := planner.Decode(doc, nil)
		if err != nil {
			t.Fatal(err)
		}
		indexes[p.PeerID()] = planner.NewIndex(p)
	}
	index := func(peerID string) *planner.Index { return indexes[peerID] }
	problem, err := booking.NewProblem(w, index, nil)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	result, err := problem.Check(booking.Window{Start: start.UnixNano(), End: start.Add(time.Hour).UnixNano(), From: start.UnixNano()})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := ReadAnswer(result.JSON())
	if err != nil {
		t.Fatal(err)
	}
	return WorkflowTimeline(Question{}.Stretch(&answer), start.Add(-time.Hour), w, index, &answer)
}

// TestGoldenTimeline holds what a timeline draws, shape by shape.
func TestGoldenTimeline(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	if err := templates["workflow.html"].ExecuteTemplate(&got, "timeline", drawn(t)); err != nil {
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
	if tl := PeerTimeline(Stretch{now, now.Add(time.Hour)}, now, planner.NewIndex(p)); len(tl.Lanes) != maxLanes || tl.More != 7 {
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
		x := planner.NewIndex(p)
		WorkflowTimeline(Question{Zoom: "month"}.Stretch(&answer), start, w, func(string) *planner.Index { return x }, &answer)
	}
}
