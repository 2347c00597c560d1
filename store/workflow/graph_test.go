package workflow_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/workflow"
)

// twin is a small graph, judged by brute force.
type twin struct {
	seconds   []int // per item; -1: a compute item, of which links may do anything
	links     [][2]int
	reachable [][]bool // over links between processing items, in one step or more
}

func drawTwin(t *rapid.T) *twin {
	n := rapid.IntRange(1, 8).Draw(t, "items")
	g := &twin{seconds: rapid.SliceOfN(rapid.IntRange(-1, 9), n, n).Draw(t, "seconds")}
	end := rapid.IntRange(0, n-1)
	for range rapid.IntRange(0, 12).Draw(t, "links") {
		g.links = append(g.links, [2]int{end.Draw(t, "source"), end.Draw(t, "destination")})
	}
	g.reachable = make([][]bool, n)
	for i := range g.reachable {
		g.reachable[i] = make([]bool, n)
	}
	for _, l := range g.links {
		g.reachable[l[0]][l[1]] = g.ordered(l)
	}
	for k := range n { // Warshall
		for i := range n {
			for j := range n {
				g.reachable[i][j] = g.reachable[i][j] || g.reachable[i][k] && g.reachable[k][j]
			}
		}
	}
	return g
}

func (g *twin) ordered(l [2]int) bool { return g.seconds[l[0]] >= 0 && g.seconds[l[1]] >= 0 }

func (g *twin) json() string {
	var items, links []string
	for i, s := range g.seconds {
		if s < 0 {
			items = append(items, fmt.Sprintf(`"%d":{"compute":{"id":"r","peer_id":"p"}}`, i))
		} else {
			items = append(items, fmt.Sprintf(`"%d":{"processing":{"duration_s":%d}}`, i, s))
		}
	}
	for _, l := range g.links {
		links = append(links, fmt.Sprintf(`{"source":"%d","destination":"%d"}`, l[0], l[1]))
	}
	return wrap(strings.Join(items, ","), strings.Join(links, ","))
}

// longest tries every path.
func (g *twin) longest(from int) int {
	after := 0
	for _, l := range g.links {
		if l[0] == from && g.ordered(l) {
			after = max(after, g.longest(l[1]))
		}
	}
	return max(g.seconds[from], 0) + after
}

func TestGraphAgreesWithBruteForce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := drawTwin(t)
		w, err := workflow.Decode([]byte(g.json()))
		var faults fault.List
		if err != nil && !errors.As(err, &faults) {
			t.Fatalf("error is no fault.List: %v", err)
		}
		onCycle := func(i int) bool { return g.reachable[i][i] }
		cyclic := slices.ContainsFunc(g.items(), onCycle)
		if cyclic != (err != nil) {
			t.Fatalf("cyclic %v, but error %v", cyclic, err)
		}
		if cyclic {
			g.checkCycles(t, faults)
			return
		}
		want := 0
		for i := range g.seconds {
			want = max(want, g.longest(i))
		}
		if got, _ := w.Duration(); got != time.Duration(want)*time.Second {
			t.Fatalf("duration = %v, want %d s", got, want)
		}
		g.checkSteps(t, w)
		for _, need := range w.Needs() {
			if start, end := g.span(int(need.ItemID[0] - '0')); need.Span != (workflow.Span{Start: start, End: end}) {
				t.Fatalf("%s is needed in %v, want [%s, %s): %s", need.ItemID, need.Span, start, end, g.json())
			}
		}
	})
}

// checkSteps checks that the steps are those items that take their time, in an order in which each finds done
// what leads to it.
func (g *twin) checkSteps(t *rapid.T, w *workflow.Workflow) {
	done := map[int]bool{}
	for _, s := range w.Steps() {
		i := int(s.ItemID[0] - '0')
		start := time.Duration(g.start(i)) * time.Second
		if s.Start != start || s.End != start+time.Duration(g.seconds[i])*time.Second || done[i] {
			t.Fatalf("step %+v begins at %s", s, start)
		}
		done[i] = true
		for j, seconds := range g.seconds {
			name := fmt.Sprint(j)
			leads := slices.Contains(g.links, [2]int{j, i})
			if slices.Contains(s.After, name) != (leads && seconds >= 0) || leads && seconds >= 0 && !done[j] {
				t.Fatalf("%s comes after %v: %s", s.ItemID, s.After, g.json())
			}
			tied := seconds < 0 && (leads || slices.Contains(g.links, [2]int{i, j}))
			if slices.Contains(s.On, name) != tied || slices.Contains(s.Uses, name) != tied {
				t.Fatalf("%s is executed on %v: %s", s.ItemID, s.On, g.json())
			}
		}
	}
	for i, seconds := range g.seconds {
		if done[i] != (seconds >= 0) {
			t.Fatalf("no step for %d: %s", i, g.json())
		}
	}
}

// start tries every path to an item.
func (g *twin) start(to int) (start int) {
	for _, l := range g.links {
		if l[1] == to && g.ordered(l) {
			start = max(start, g.start(l[0])+g.seconds[l[0]])
		}
	}
	return start
}

// span is when a compute item is needed: while the items it is linked to run, if any of them takes time.
func (g *twin) span(need int) (start, end time.Duration) {
	first, last, lasts := math.MaxInt, 0, false
	for i, seconds := range g.seconds {
		if seconds >= 0 && (slices.Contains(g.links, [2]int{i, need}) || slices.Contains(g.links, [2]int{need, i})) {
			first, last, lasts = min(first, g.start(i)), max(last, g.start(i)+seconds), lasts || seconds > 0
		}
	}
	if !lasts {
		return 0, 0
	}
	return time.Duration(first) * time.Second, time.Duration(last) * time.Second
}

func (g *twin) items() []int {
	all := make([]int, len(g.seconds))
	for i := range all {
		all[i] = i
	}
	return all
}

// checkCycles checks that every fault is a real cycle, that the link it points to closes it, and that no knot
// of items (strongly connected component) goes without a fault.
func (g *twin) checkCycles(t *rapid.T, faults fault.List) {
	named := map[int]bool{}
	for _, f := range faults {
		_, text, _ := strings.Cut(f.Message, "cycle: ")
		var cycle []int
		for name := range strings.SplitSeq(text, " → ") {
			cycle = append(cycle, int(name[0]-'0'))
		}
		if len(cycle) < 2 || cycle[0] != cycle[len(cycle)-1] {
			t.Fatalf("no cycle: %v", f)
		}
		for i := range cycle[1:] {
			if l := [2]int{cycle[i], cycle[i+1]}; !slices.Contains(g.links, l) || !g.ordered(l) {
				t.Fatalf("%v: there is no such link %v", f, l)
			}
			named[cycle[i]] = true
		}
		var at int
		if _, err := fmt.Sscanf(f.Path, "$.graph.links[%d]", &at); err != nil || g.links[at] != [2]int{cycle[len(cycle)-2], cycle[0]} {
			t.Fatalf("%v does not point to the link that closes it", f)
		}
	}
	for i := range g.seconds {
		inKnot := func(j int) bool { return named[j] && g.reachable[i][j] && g.reachable[j][i] }
		if g.reachable[i][i] && !slices.ContainsFunc(g.items(), inKnot) {
			t.Fatalf("nothing names the knot of item %d: %v", i, faults)
		}
	}
}

// chain is a workflow of n processing items, each after the one before it.
func chain(n int, last string) []byte {
	var items, links strings.Builder
	for i := range n {
		fmt.Fprintf(&items, `"s%d":{"processing":{"id":"s","duration_s":1}},`, i)
		if i > 0 {
			fmt.Fprintf(&links, `{"source":"s%d","destination":"s%d"},`, i-1, i)
		}
	}
	return []byte(wrap(items.String()+`"r":{"data":{}}`, links.String()+last))
}

func TestLongChains(t *testing.T) {
	t.Parallel()
	const n = 20_000
	w := mustDecode(t, string(chain(n, `{"source":"r","destination":"s0"}`)))
	if d, _ := w.Duration(); d != n*time.Second {
		t.Errorf("duration = %v", d)
	}
	faults := faultsOf(t, string(chain(n, fmt.Sprintf(`{"source":"s%d","destination":"s0"}`, n-1))), "$.graph.links[19999]")
	if len(faults) == 1 && (len(faults[0].Message) > 300 || !strings.Contains(faults[0].Message, "(19990 more)")) {
		t.Errorf("message = %s", faults[0].Message)
	}
}

func TestDurationsSaturate(t *testing.T) {
	t.Parallel()
	doc := strings.ReplaceAll(string(chain(50, `{"source":"r","destination":"s0"}`)), `"duration_s":1`, `"duration_s":1e9`)
	if d, ok := mustDecode(t, doc).Duration(); !ok || d != 1<<63-1 {
		t.Errorf("duration = %d", d)
	}
}

func BenchmarkDecode10000Items(b *testing.B) {
	doc := chain(10_000, `{"source":"r","destination":"s0"}`)
	b.ReportAllocs()
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		if _, err := workflow.Decode(doc); err != nil {
			b.Fatal(err)
		}
	}
}
