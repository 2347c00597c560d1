package planner_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/id"
	"oc-scheduler/store/planner"
)

// FuzzDecode: whatever comes, Decode answers with a planner that keeps its promises or with faults.
func FuzzDecode(f *testing.F) {
	for _, name := range []string{"two-instances.json", "faulty.json"} {
		f.Add(fixture(f, name))
	}
	f.Add([]byte(booked(slot("08:00:00Z", "09:00:00.5+02:00", `,"usage":{"ram":1e-4,"cpu":{"a":2}}`), slot("08:30:00Z", "10:00:00Z", `,"instance_id":"i"`))))
	f.Add([]byte(booked(slot("08:00:00Z", "09:00:00Z", `,"booking_id":"oc-1","usage":{"ram":1}`), slot("08:30:00Z", "10:00:00Z", `,"instance_id":"i","booking_id":"\u006fc-2"`))))
	f.Add([]byte(with(`"schedule":null,"capacities":{"r":{"i":{"a":1000000000000000}}},"x":[{}]`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := planner.Decode(data, func(_, value []byte) {
			if !json.Valid(value) {
				t.Errorf("an extra member is no JSON: %q", value)
			}
		})
		var faults fault.List
		switch {
		case err == nil:
			checkPlanner(t, p)
		case p != nil || !errors.As(err, &faults) || len(faults) == 0:
			t.Fatalf("Decode = %v, %v", p, err)
		}
		again, err2 := planner.Decode(data, nil)
		if (err == nil) != (err2 == nil) || err == nil && again.Digest() != p.Digest() {
			t.Fatalf("decoded again: %v, %v", err, err2)
		}
	})
}

// checkPlanner asks a planner everything it should be able to answer.
func checkPlanner(t *testing.T, p *planner.Planner) {
	t.Helper()
	if err := id.Check(p.PeerID()); err != nil {
		t.Errorf("peer: %v", err)
	}
	if ns := p.GeneratedAt().UnixNano(); ns == math.MinInt64 || ns == math.MaxInt64 {
		t.Errorf("generated at %s", p.GeneratedAt())
	}
	x := planner.NewIndex(p)
	o := overlay([]booking{{start: 0, end: 2, instance: "i", id: "oc-1"}, {start: 1, end: 3, instance: "j", id: "oc-2", usage: amounts{"ram": 7}}})
	for _, r := range []*planner.Resource{x.Resource("r"), x.Resource("gpu-cluster"), x.With(o).Resource("r")} {
		if r == nil {
			continue
		}
		for n, i := range r.Instances() {
			if id.Check(i.ID()) != nil || n > 0 && i.ID() <= r.Instances()[n-1].ID() {
				t.Errorf("instance %q", i.ID())
			}
			checkTimeline(t, i.Occupancy())
			for _, dim := range []string{"ram", "ram_gb", "a", "cpu.a", "cpu_cores.x86_64"} {
				checkTimeline(t, i.Timeline(dim))
			}
		}
	}
}

// checkTimeline compares what a timeline says of its steps with what it says of its gaps.
func checkTimeline(t *testing.T, w *planner.Timeline) {
	t.Helper()
	gaps := w.Gaps(planner.Unit)
	for step, use := range w.Steps(math.MinInt64, math.MaxInt64) {
		if step.Start >= step.End || use < 0 || w.MaxUse(step.Start, step.End) != use {
			t.Errorf("step %v of %d, MaxUse = %d", step, use, w.MaxUse(step.Start, step.End))
		}
		end, free := gaps.Until(step.Start)
		if fits := use <= w.Capacity()-planner.Unit; free != fits || free && end < step.End {
			t.Errorf("step %v of %d in %d: free = %v until %d", step, use, w.Capacity(), free, end)
		}
		if start, ok := gaps.Earliest(step.Start, 1); free && (!ok || start != step.Start) {
			t.Errorf("step %v: earliest = %d, %v", step, start, ok)
		}
	}
}

func FuzzParseAmount(f *testing.F) {
	for _, text := range []string{"1", "0.0005", "1e15", "-0", "1E-400", "007"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		down, err := planner.ParseAmount(text, planner.Down)
		up, err2 := planner.ParseAmount(text, planner.Up)
		switch {
		case err != nil || err2 != nil:
			if !errors.Is(err, planner.ErrAmount) || !errors.Is(err2, planner.ErrAmount) {
				t.Errorf("errors %v, %v", err, err2)
			}
		case !json.Valid([]byte(text)) || down < 0 || up > planner.MaxAmount || up-down < 0 || up-down > 1:
			t.Errorf("ParseAmount(%q) = %d, %d", text, down, up)
		}
	})
}
