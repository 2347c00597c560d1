package run_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"oc-scheduler/store/execution"
	"oc-scheduler/store/run"
	"oc-scheduler/store/workflow"
)

// fate is what becomes of an attempt on a node.
type fate struct {
	lasts float64 // seconds
	ends  run.Executed
}

// plot is a workflow and all that will happen to its run, but not when and how often it is told. Steps begin
// every 300 s; what matters lies far enough apart for no delay to change its order.
type plot struct {
	w        *workflow.Workflow
	seconds  float64
	fates    map[string]fate // by step, compute item and attempt; without one it is completed after 2 s
	cancel   bool            // at 150 s
	lost     string          // the node that is lost at 150 s
	returned bool            // at 200 s
}

func key(stepID, on string, attempt int) string { return fmt.Sprint(stepID, on, attempt) }

func drawPlot(t *rapid.T) plot {
	p := plot{fates: map[string]fate{}, cancel: rapid.Bool().Draw(t, "cancel")}
	items, links, nodes := []string{compute("m", "n", "o")}, []string{}, []string{"m", "n", "o"}
	doomed := rapid.IntRange(-2, 4).Draw(t, "doomed")
	for i := range rapid.IntRange(1, 5).Draw(t, "steps") {
		name := fmt.Sprint("s", i)
		for j := range i {
			if rapid.IntRange(0, 2).Draw(t, "link") == 0 {
				links = append(links, fmt.Sprintf("s%d>%s", j, name))
			}
		}
		retries := rapid.IntRange(0, 2).Draw(t, "retries")
		if rapid.IntRange(0, 3).Draw(t, "idle") == 0 {
			items = append(items, step(name, `"duration_s":300`))
			continue
		}
		items = append(items, command(name, fmt.Sprintf(`"duration_s":300,"retries":%d`, retries)))
		for _, on := range rapid.SliceOfNDistinct(rapid.SampledFrom(nodes), 1, 2, rapid.ID).Draw(t, "on") {
			links = append(links, name+">"+on)
			p.drawFates(t, name, on, retries, i == doomed)
		}
	}
	if rapid.Bool().Draw(t, "lost") {
		p.lost, p.returned = "node-"+rapid.SampledFrom(nodes).Draw(t, "node"), rapid.Bool().Draw(t, "returned")
	}
	p.w = decode(t, strings.Join(items, ","), links...)
	d, _ := p.w.Duration()
	p.seconds = d.Seconds()
	return p
}

// drawFates has some attempts fail, of the doomed one all.
func (p *plot) drawFates(t *rapid.T, name, on string, retries int, doomed bool) {
	one := 1
	failed := run.Executed{State: execution.Failed, ExitCode: &one, Reason: "exit code 1"}
	failures := rapid.IntRange(0, retries).Draw(t, "failures")
	for attempt := 1; attempt <= failures; attempt++ {
		p.fates[key(name, on, attempt)] = fate{2, failed}
	}
	switch {
	case doomed && on == "m": // one, so that it is the first in any order
		p.fates[key(name, on, failures+1)] = fate{100, run.Executed{State: execution.Failed, Reason: "not listed", Word: run.Refused}}
	case rapid.IntRange(0, 3).Draw(t, "fate") == 0:
		zero := 0
		p.fates[key(name, on, failures+1)] = fate{240, run.Executed{State: execution.Completed, ExitCode: &zero}}
	}
}

// told is all that others can tell of a run afterwards, but for times.
func told(r run.Record) string {
	var b strings.Builder
	fmt.Fprintln(&b, r.State, r.Reason)
	for _, s := range r.Steps {
		fmt.Fprintln(&b, s.ItemID, s.State, s.Reason)
		slices.SortFunc(s.Executions, func(a, b run.Execution) int { return cmp.Compare(a.ExecutionID, b.ExecutionID) })
		for _, x := range s.Executions {
			fmt.Fprintln(&b, x.ExecutionID, x.NodeID, x.Attempt, x.State, x.ExitCode != nil)
		}
		for _, it := range r.Work.Log {
			if it.ItemID == s.ItemID {
				fmt.Fprintln(&b, "  ", it.From, it.To, it.Reason)
			}
		}
	}
	return b.String()
}

// TestHowThingsAreToldDoesNotMatter: events that come late, twice, in another order, and orders of which none
// knows whether they went out, leave the run as it is without all that.
func TestHowThingsAreToldDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := drawPlot(t)
		quiet := p.play(t, &site{
			delay: func(string, float64) float64 { return 0 },
			twice: func() bool { return false }, lose: func() bool { return false },
		})
		losses := 2
		rough := p.play(t, &site{
			delay: func(what string, most float64) float64 { return rapid.Float64Range(0, most).Draw(t, what) },
			twice: func() bool { return rapid.IntRange(0, 4).Draw(t, "twice") == 0 },
			lose: func() bool {
				if losses == 0 || rapid.IntRange(0, 5).Draw(t, "lose") > 0 {
					return false
				}
				losses--
				return true
			},
		})
		if !quiet.State.Final() || told(quiet) != told(rough) {
			t.Fatalf("quiet:\n%s\nrough:\n%s", told(quiet), told(rough))
		}
		if start := rough.Steps[0].Start.Add(2 * time.Second); rough.StartedAt.After(start) {
			t.Fatalf("started at %v", rough.StartedAt)
		}
	})
}
