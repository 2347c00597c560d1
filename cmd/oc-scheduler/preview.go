package main

import (
	"context"
	"encoding/json"
	"slices"

	"oc-scheduler/client"
)

type previewCmd struct {
	booking
	recurring `embed:"" group:"What would be booked:"`
	howMany   `embed:"" group:"What is listed:"`
}

// Run tells what would be booked, each occurrence by itself. The exit code tells of the worst.
func (c *previewCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	wish, err := c.doc()
	if err != nil {
		return err
	}
	var all *client.PreviewList
	body, err := c.request(con, wish, func(options ...client.CallOption) (err error) {
		all, err = replica.PreviewSchedule(ctx, c.Workflow, client.ScheduleRequest{}, c.Number, options...)
		return err
	})
	if err != nil {
		return err
	}
	p := c.printer(con)
	if p.forPeople() {
		err = printPreview(p.paper, all.Items)
	} else {
		var as client.List[json.RawMessage]
		if err = json.Unmarshal(body, &as); err == nil {
			err = p.items(as.Items)
		}
	}
	if err != nil {
		return err
	}
	return worst(all.Items)
}

// printPreview shows occurrences, and then what stands against them.
func printPreview(w *paper, items []client.Previewed) error {
	t := newTable(w, "OCCURRENCE START END STATUS")
	var (
		resources []client.ResourceResult
		remarks   []string
	)
	for _, o := range items {
		t.row(nominal(o.Nominal), o.Result.Start, o.Result.End, (*result)(&o.Result).status())
		resources = append(resources, o.Result.Resources...)
		for _, line := range (*result)(&o.Result).remarks() {
			if !slices.Contains(remarks, line) {
				remarks = append(remarks, line)
			}
		}
	}
	if err := t.flush(); err != nil {
		return err
	}
	if err := printConflicts(w, resources); err != nil {
		return err
	}
	return printLines(w, remarks)
}

// worst is the exit code of several answers.
func worst(items []client.Previewed) error {
	var unknown error
	for _, o := range items {
		err := (*result)(&o.Result).exit()
		if err != nil && o.Result.Status != "unknown" {
			return err
		}
		if err != nil {
			unknown = err
		}
	}
	return unknown
}
