package run_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"oc-scheduler/store/run"
)

// TestTogetherAsOneByOne: events that are told together leave the run, and what follows, as they do one after the other.
func TestTogetherAsOneByOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlot(t)
		w := &world{t: t, story: begin(t, p.w, p.seconds), tries: map[string]int{}, freed: map[string]bool{}, stops: map[string]bool{}}
		for range rapid.IntRange(1, 10).Draw(t, "times") {
			w.now += rapid.Float64Range(0, 300).Draw(t, "seconds")
			events := make([]run.Event, rapid.IntRange(1, 8).Draw(t, "events"))
			for i := range events {
				events[i] = w.drawEvent()
			}
			together, all := run.AdvanceAll(w.r, events, w.then(w.now))
			var one run.Outcome
			for _, what := range events {
				w.on(w.now, what)
				one.Start, one.Stop, one.Free = append(one.Start, w.out.Start...), append(one.Stop, w.out.Stop...), append(one.Free, w.out.Free...)
				one.History, one.Changed, one.Due = append(one.History, w.out.History...), one.Changed || w.out.Changed, w.out.Due
			}
			if all.History = append([]run.Item(nil), all.History...); !reflect.DeepEqual(together, w.r) || !reflect.DeepEqual(all, one) {
				t.Fatalf("together %+v\n%+v\none by one %+v\n%+v", together, all, w.r, one)
			}
			for _, o := range w.out.Stop {
				w.stops[o.ExecutionID] = true
			}
		}
	})
}
