package orchestrator

import (
	"maps"
	"slices"
	"sync"

	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
)

// open are the executions that have not ended, as the view shows them: few of many.
type open struct {
	view *kv.View[execution.Execution]

	mu  sync.Mutex
	ids map[string]struct{}
}

func newOpen(view *kv.View[execution.Execution]) *open {
	o := &open{view: view, ids: map[string]struct{}{}}
	view.OnChange(o.note)
	return o
}

func (o *open) note(executionID string) {
	entry, stands := o.view.Get(executionID)
	o.mu.Lock()
	defer o.mu.Unlock()
	if stands && !entry.Value.State.Final() {
		o.ids[executionID] = struct{}{}
		return
	}
	delete(o.ids, executionID)
}

// list has those that suit, the oldest order first.
func (o *open) list(suits func(execution.Execution) bool) (some []execution.Execution) {
	o.mu.Lock()
	ids := slices.Collect(maps.Keys(o.ids))
	o.mu.Unlock()
	for _, id := range ids {
		if entry, stands := o.view.Get(id); stands && !entry.Value.State.Final() && suits(entry.Value) {
			some = append(some, entry.Value)
		}
	}
	slices.SortFunc(some, func(a, b execution.Execution) int { return a.OrderedAt.Compare(b.OrderedAt) })
	return some
}
