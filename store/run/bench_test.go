package run_test

import (
	"fmt"
	"strings"
	"testing"

	"oc-scheduler/store/execution"
	"oc-scheduler/store/run"
)

// BenchmarkAdvance1000Steps tells of one of a thousand executions that run at once.
func BenchmarkAdvance1000Steps(b *testing.B) {
	var items, links []string
	for i := range 1000 {
		items = append(items, command(fmt.Sprint("s", i), `"duration_s":60`), compute(fmt.Sprint("c", i)))
		links = append(links, fmt.Sprintf("s%d>c%d", i, i))
	}
	s := begin(b, decode(b, strings.Join(items, ","), links...), 60).on(0, run.Due{})
	e := run.Executed{ExecutionID: s.present("s999", "node-c999").ExecutionID, State: execution.Running}
	b.ReportAllocs()
	for b.Loop() {
		if _, out := run.Advance(s.r, e, run.Now{At: after(1), Grace: grace}); !out.Changed {
			b.Fatal("it changes nothing")
		}
	}
}
