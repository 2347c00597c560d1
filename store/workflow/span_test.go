package workflow_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

// TestSpans: when the compute item c is needed, in seconds from the window's start.
func TestSpans(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		items, links string // of processing items with their seconds, and of them and c
		start, end   int
	}{
		"not linked":               {"a5", "", 0, 0},
		"without durations":        {"a b", "a-c c-b", 0, 0},
		"all last 0":               {"a0 b9 d0", "a-b b-d a-c d-c", 0, 0},
		"one step":                 {"a5", "a-c", 0, 5},
		"either direction":         {"a5", "c-a", 0, 5},
		"after another":            {"a5 b7", "a-b b-c", 5, 12},
		"before another":           {"a5 b7", "a-b a-c", 0, 5},
		"from the first to last":   {"a5 b7 d3", "a-b b-d a-c d-c", 0, 15},
		"of two ways the longer":   {"a5 b7 d3", "a-d b-d d-c", 7, 10},
		"not by way of c":          {"a5 b7", "a-c c-b", 0, 7}, // only links between processing items order them
		"one that takes no time":   {"a5 b", "a-b c-b a-c", 0, 5},
		"one without and one with": {"a5 b d4", "a-b b-d b-c d-c", 5, 9},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var items, links []string
			for item := range strings.FieldsSeq(c.items) {
				duration := ""
				if len(item) > 1 {
					duration = `"duration_s":` + item[1:]
				}
				items = append(items, `"`+item[:1]+`":{"processing":{`+duration+`}}`)
			}
			for link := range strings.FieldsSeq(c.links) {
				links = append(links, `{"source":"`+link[:1]+`","destination":"`+link[2:]+`"}`)
			}
			w := mustDecode(t, wrap(strings.Join(append(items, `"c":{"compute":{"id":"r","peer_id":"p"}}`), ","), strings.Join(links, ",")))
			want := workflow.Span{Start: time.Duration(c.start) * time.Second, End: time.Duration(c.end) * time.Second}
			if got := w.Needs()[0].Span; got != want {
				t.Errorf("needed in %v, want %v", got, want)
			}
		})
	}
}

// TestSpanOf a window that is longer, as long, and shorter.
func TestSpanOf(t *testing.T) {
	t.Parallel()
	const from = 1000
	for _, c := range []struct {
		span       workflow.Span
		length     int64
		start, end int64 // after from
	}{
		{workflow.Span{}, 10, 0, 10},
		{workflow.Span{Start: 2, End: 7}, 10, 2, 7},
		{workflow.Span{Start: 2, End: 7}, 7, 2, 7},
		{workflow.Span{Start: 2, End: 7}, 5, 2, 5},
		{workflow.Span{Start: 2, End: 7}, 2, 2, 2},
		{workflow.Span{Start: 2, End: 7}, 1, 1, 1},
		{workflow.Span{Start: 0, End: math.MaxInt64}, 5, 0, 5},
		{workflow.Span{Start: math.MaxInt64, End: math.MaxInt64}, 5, 5, 5},
	} {
		got := c.span.Of(planner.Interval{Start: from, End: from + c.length})
		if want := (planner.Interval{Start: from + c.start, End: from + c.end}); got != want {
			t.Errorf("%v of %d: %v, want %v", c.span, c.length, got, want)
		}
	}
}
