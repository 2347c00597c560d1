package doctor

import (
	"strings"
	"testing"
	"time"

	"oc-scheduler/store/planners"
)

// What is certain counts: a reading is as inexact as its answer was slow.
func TestClocksOfServersThatAreApart(t *testing.T) {
	t.Parallel()
	const margin = 10 * time.Millisecond
	for apart, want := range map[time.Duration]Level{
		planners.MaxSkew/2 + 2*margin:     OK,
		planners.MaxSkew/2 + 2*margin + 1: Warn,
		planners.MaxSkew + 2*margin:       Warn,
		planners.MaxSkew + 2*margin + 1:   Fail,
	} {
		e := &exam{}
		e.apart(reading{"a", apart - time.Hour, margin}, reading{"b", -time.Hour, margin})
		got, text := OK, ""
		for _, f := range e.findings {
			got, text = f.Level, f.What
		}
		if got != want || want != OK && !strings.HasPrefix(text, "the clock of a is ") {
			t.Errorf("%v apart: %v %q, want %v", apart, got, text, want)
		}
	}
}
