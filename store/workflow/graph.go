package workflow

import (
	"fmt"
	"slices"
	"strings"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/planner"
)

// graph is the processing items and the links between them. Links are in compressed rows: those
// that leave item v are links[first[v]:first[v+1]].
type graph struct {
	items []item
	first []int32
	links []arrow
}

// arrow is a link to an item; at is its place in the document.
type arrow struct{ to, at int32 }

// pair is a link by the indices of its items.
type pair struct{ from, to, at int32 }

func newGraph(items []item, pairs []pair) *graph {
	g := &graph{items: items, first: make([]int32, len(items)+1), links: make([]arrow, len(pairs))}
	for _, p := range pairs {
		g.first[p.from+1]++
	}
	for v := range items {
		g.first[v+1] += g.first[v]
	}
	next := append([]int32(nil), g.first...)
	for _, p := range pairs {
		g.links[next[p.from]] = arrow{p.to, p.at}
		next[p.from]++
	}
	return g
}

// walk is a depth-first search: every link is followed once, so it is linear, and its path is a
// slice, so a chain of any length is no deep recursion.
type walk struct {
	*graph
	next     []int32 // the next link of each item to follow
	depth    []int32 // the item's place on the path, counted from 1; 0 unseen; done when finished
	path     []int32 // the items being visited
	finished []int32 // after all that they lead to
	faults   *fault.List
}

const done = -1

// starts are when each item can start at the earliest: the longest path to it in nanoseconds, each item
// counting its duration. finished lists each item after all that it leads to. Links that close a cycle are
// faults.
func (g *graph) starts(faults *fault.List) (starts []planner.Amount, finished []int32) {
	w := walk{
		graph: g, next: append([]int32(nil), g.first...), depth: make([]int32, len(g.items)),
		finished: make([]int32, 0, len(g.items)), faults: faults,
	}
	for v := range g.items {
		if w.depth[v] == 0 {
			w.from(int32(v))
		}
	}
	starts = make([]planner.Amount, len(g.items))
	for _, v := range slices.Backward(w.finished) {
		for _, link := range g.links[g.first[v]:g.first[v+1]] {
			starts[link.to] = max(starts[link.to], g.items[v].end(starts[v]))
		}
	}
	return starts, w.finished
}

// from visits everything that root leads to.
func (w *walk) from(root int32) {
	w.enter(root)
	for len(w.path) > 0 {
		v := w.path[len(w.path)-1]
		if w.next[v] == w.first[v+1] {
			w.leave(v)
			continue
		}
		link := w.links[w.next[v]]
		w.next[v]++
		switch {
		case w.depth[link.to] == 0:
			w.enter(link.to)
		case w.depth[link.to] != done:
			w.cycle(w.path[w.depth[link.to]-1:], link.at)
		}
	}
}

func (w *walk) enter(v int32) {
	w.path = append(w.path, v)
	w.depth[v] = int32(len(w.path))
}

func (w *walk) leave(v int32) {
	w.finished = append(w.finished, v)
	w.depth[v] = done
	w.path = w.path[:len(w.path)-1]
}

// maxCycleListed bounds the items of a cycle that a fault names.
const maxCycleListed = 10

// cycle reports the items of one cycle; the link at closes it.
func (w *walk) cycle(items []int32, at int32) {
	var b strings.Builder
	for i, v := range items {
		if i == maxCycleListed && len(items) > maxCycleListed+1 {
			fmt.Fprintf(&b, "… (%d more) → ", len(items)-i)
			break
		}
		b.WriteString(w.items[v].id + " → ")
	}
	w.faults.Add(fault.Element(linksPath, int(at)), "processing items form a cycle: %s%s", b.String(), w.items[items[0]].id)
}
