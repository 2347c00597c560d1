package workflow

import (
	"cmp"
	"slices"
	"time"

	"oc-scheduler/store/fault"
)

const (
	itemsPath = "$.graph.items"
	linksPath = "$.graph.links"
)

// build judges the document as a whole and makes the Workflow.
func (r *reader) build() (*Workflow, error) {
	slices.SortFunc(r.items, func(a, b item) int { return cmp.Compare(a.id, b.id) })
	pairs := r.resolve()
	w := &Workflow{id: r.id, name: r.name, groups: r.groups}
	starts, finished := newGraph(r.items, r.amongProcessing(pairs)).starts(&r.faults)
	r.places(pairs)
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	spans := spans(r.items, pairs, starts)
	for i, it := range r.items {
		w.lasts = w.lasts || it.lasts
		w.duration = max(w.duration, time.Duration(it.end(starts[i])))
		if it.isNeed() {
			it.need.Span = spans[i]
			w.needs = append(w.needs, it.need)
			w.peers = append(w.peers, it.need.PeerID)
		}
	}
	slices.Sort(w.peers)
	w.peers = slices.Clip(slices.Compact(w.peers))
	w.steps = r.steps(pairs, starts, finished)
	w.digest = digestOf(r.id, r.name, r.items, pairs)
	return w, nil
}

// resolve finds the items of each link; ends that are no item are faults.
func (r *reader) resolve() []pair {
	if r.noItems {
		return nil
	}
	index := make(map[string]int32, len(r.items))
	for i, it := range r.items {
		index[it.id] = int32(i)
	}
	pairs := make([]pair, 0, len(r.links))
	for at, l := range r.links {
		from, okFrom := r.linkEnd(index, at, "source", l.source)
		to, okTo := r.linkEnd(index, at, "destination", l.destination)
		if okFrom && okTo {
			pairs = append(pairs, pair{from, to, int32(at)})
		}
	}
	return pairs
}

func (r *reader) linkEnd(index map[string]int32, at int, member, id string) (int32, bool) {
	i, ok := index[id]
	if !ok && id != "" {
		r.faults.Add(fault.Member(fault.Element(linksPath, at), member), "there is no item %q", id)
	}
	return i, ok && id != ""
}

// amongProcessing keeps the links that order processing items.
func (r *reader) amongProcessing(pairs []pair) []pair {
	between := make([]pair, 0, len(pairs))
	for _, p := range pairs {
		if r.items[p.from].kind == Processing && r.items[p.to].kind == Processing {
			between = append(between, p)
		}
	}
	return between
}
