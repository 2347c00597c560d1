package workflow

import (
	"cmp"
	"slices"
	"time"

	"oc-scheduler/store/planner"
)

// Step is a processing item on its way: what it waits for, when it is, and what nodes execute for it.
type Step struct {
	ItemID string
	After  []string      // the processing items that lead to it, sorted
	On     []string      // the compute items that it is linked to, in either direction, sorted
	Uses   []string      // those, and the storage items alike, sorted
	Start  time.Duration // from the window's start, by longest path
	End    time.Duration

	Command []string          // program and arguments, executed on each compute item of On; empty: nothing is
	Env     map[string]string // variables for it
	Retries int               // how often each execution is tried again
}

// steps are the processing items in an order in which they can be done: by start, each after those that lead to
// it, and else by id. finished is the walk's: each item after all that it leads to.
func (r *reader) steps(pairs []pair, starts []planner.Amount, finished []int32) []Step {
	after, on, uses := r.ties(pairs)
	order := make([]int32, 0, len(finished))
	depth := make([]int, len(r.items)) // the most links on a way to an item
	for _, v := range slices.Backward(finished) {
		if r.items[v].kind != Processing {
			continue
		}
		order = append(order, v)
		for _, before := range after[v] {
			depth[v] = max(depth[v], depth[before]+1)
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(starts[a], starts[b]), cmp.Compare(depth[a], depth[b]), cmp.Compare(a, b))
	})
	steps := make([]Step, len(order))
	for i, v := range order {
		it := &r.items[v]
		steps[i] = Step{
			ItemID: it.id, After: after[v].ids(r.items), On: on[v].ids(r.items), Uses: uses[v].ids(r.items),
			Start: time.Duration(starts[v]), End: time.Duration(it.end(starts[v])),
			Command: it.task.command, Env: it.task.env, Retries: it.task.retries,
		}
	}
	return steps
}

// ties are, for each item, the processing items before it, and the compute and the needed items around it.
func (r *reader) ties(pairs []pair) (after, on, uses []indices) {
	n := len(r.items)
	after, on, uses = make([]indices, n), make([]indices, n), make([]indices, n)
	for _, p := range pairs {
		if r.items[p.from].kind == Processing && r.items[p.to].kind == Processing {
			after[p.to] = append(after[p.to], p.from)
			continue
		}
		for _, end := range [][2]int32{{p.from, p.to}, {p.to, p.from}} {
			if other := &r.items[end[1]]; other.isNeed() {
				uses[end[0]] = append(uses[end[0]], end[1])
				if other.kind == Compute {
					on[end[0]] = append(on[end[0]], end[1])
				}
			}
		}
	}
	return after, on, uses
}

// indices are items, by their places in the sorted list.
type indices []int32

// ids are the names of the items, sorted, each once.
func (l indices) ids(items []item) []string {
	if len(l) == 0 {
		return nil
	}
	slices.Sort(l)
	l = slices.Compact(l)
	ids := make([]string, len(l))
	for i, v := range l {
		ids[i] = items[v].id
	}
	return ids
}
