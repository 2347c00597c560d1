package run_test

import (
	"fmt"
	"strings"
	"testing"

	"oc-scheduler/store/run"
)

// TestManyOrdersGoOutApace, to execute and to end: all of them, and no more at once than are surely sent.
func TestManyOrdersGoOutApace(t *testing.T) {
	t.Parallel()
	const steps = 300
	items, links := []string{compute("m")}, []string{}
	for i := range steps {
		items, links = append(items, command(fmt.Sprint("s", i), `"duration_s":600`)), append(links, fmt.Sprintf("s%d>m", i))
	}
	s := begin(t, decode(t, strings.Join(items, ","), links...), 600)
	ordered := func() int { return len(s.out.Start) + len(s.out.Stop) }
	for _, at := range []float64{0, 0.25, 0.5} {
		s.on(at, run.Due{})
		if got := ordered(); got != min(128, steps-int(at/0.25)*128) {
			t.Errorf("at %v s %d orders go out", at, got)
		}
	}
	ended := map[string]bool{}
	s.on(1, run.Cancel{By: "token:u"})
	for n := 0; len(ended) < steps && n < 5; n++ {
		if got := ordered(); got > 128 {
			t.Errorf("%d orders go out at once", got)
		}
		for _, o := range s.out.Stop {
			ended[o.ExecutionID] = true
		}
		s.on(1.25+0.25*float64(n), run.Due{})
	}
	if len(ended) != steps {
		t.Errorf("%d are ended", len(ended))
	}
}
