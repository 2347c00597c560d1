package ui

import (
	"maps"
	"slices"

	"oc-scheduler/store/workflow"
)

// choice is a resource of which a certain instance can be asked for.
type choice struct {
	Resource  string // as the query names it
	Instances []option
}

type option struct {
	Value  string // of the query
	Name   string
	Chosen bool
}

// choices are the resources that have more than one instance, each once.
func choices(w *workflow.Workflow, of func(string) *Layers, selected map[string]string) (all []choice) {
	seen := map[string]bool{}
	for _, n := range w.Needs() {
		name := n.PeerID + "/" + n.ResourceID
		layers := of(n.PeerID)
		if layers == nil || seen[name] || layers.All.Resource(n.ResourceID) == nil {
			continue
		}
		seen[name] = true
		chosen := selected[name]
		if short := selected[n.ResourceID]; chosen == "" && short != "" { // as the address says it
			name, chosen = n.ResourceID, short
		}
		instances := layers.All.Resource(n.ResourceID).Instances()
		if len(instances) < 2 {
			continue
		}
		ch := choice{Resource: name}
		for _, i := range instances {
			ch.Instances = append(ch.Instances, option{name + ":" + i.ID(), i.ID(), i.ID() == chosen})
		}
		all = append(all, ch)
	}
	return all
}

// Fixed are the instances that are asked for and that can't be chosen otherwise.
func (v workflowPage) Fixed() (values []string) {
	for _, resource := range slices.Sorted(maps.Keys(v.Question.Selected)) {
		if !slices.ContainsFunc(v.Choices, func(ch choice) bool { return ch.Resource == resource }) {
			values = append(values, resource+":"+v.Question.Selected[resource])
		}
	}
	return values
}
