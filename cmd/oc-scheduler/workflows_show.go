package main

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"oc-scheduler/client"
)

type workflowsShowCmd struct {
	serverFlags
	Workflow string `arg:"" type:"ident" help:"The workflow."`
}

// Run shows a workflow; for programs as it was written.
func (c *workflowsShowCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	var was client.Answer
	if _, err := replica.GetWorkflow(ctx, c.Workflow, client.Into(&was)); err != nil {
		return about(err, "workflow", c.Workflow)
	}
	return printDoc(c.printer(con), was.Body, (*workflowDoc).print)
}

func (w *workflowDoc) print(on *paper) error {
	t := newTable(on, "")
	t.row("workflow", w.ID)
	t.row("name", w.Name)
	if err := t.flush(); err != nil {
		return err
	}
	steps, needs := newTable(on, "STEP LASTS COMMAND RETRIES AFTER WITH"), newTable(on, "ITEM KIND PEER RESOURCE DEMAND")
	some, any := false, false
	for _, name := range slices.Sorted(maps.Keys(w.Graph.Items)) {
		it := w.Graph.Items[name]
		if s := it.Processing; s != nil {
			some = true
			after, with := w.around(name)
			steps.row(name, time.Duration(s.DurationS*float64(time.Second)), strings.Join(s.Command, " "), s.Retries, after, with)
		}
		if kind, n := needOf(it); n != nil {
			any = true
			needs.row(name, kind, peerOf(n), n.ID, n.Demand)
		}
	}
	if some {
		if err := steps.flush(); err != nil {
			return err
		}
	}
	if !any {
		return nil
	}
	return needs.flush()
}

// around are the steps that lead to one, and what it is linked with that is no step.
func (w *workflowDoc) around(step string) (after, with string) {
	var before, beside []string
	for _, l := range w.Graph.Links {
		other := ""
		switch step {
		case l.Destination:
			other = l.Source
		case l.Source:
			other = l.Destination
		}
		list := &beside
		if it := w.Graph.Items[other]; it.Processing != nil {
			list = &before
			if l.Destination != step {
				continue
			}
		}
		if other != "" && !slices.Contains(*list, other) {
			*list = append(*list, other)
		}
	}
	slices.Sort(before)
	slices.Sort(beside)
	return strings.Join(before, ", "), strings.Join(beside, ", ")
}
