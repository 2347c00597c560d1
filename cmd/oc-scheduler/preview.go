package main

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

type previewCmd struct {
	booking
	recurring `embed:"" group:"What would be booked:"`
	howMany   `embed:"" group:"What is listed:"`
}

// previewed is an occurrence, and what a check says of it.
type previewed struct {
	Nominal time.Time `json:"nominal"`
	Result  result    `json:"result"`
}

// Run tells what would be booked, each occurrence by itself. The exit code tells of the worst.
func (c *previewCmd) Run(ctx context.Context, con *console) error {
	client, err := c.client(con)
	if err != nil {
		return err
	}
	wish, err := c.doc()
	if err != nil {
		return err
	}
	body, err := c.request(ctx, con, client, "preview", c.query(), wish)
	if err != nil {
		return err
	}
	var all struct {
		Items []previewed `json:"items"`
	}
	if err := json.Unmarshal(body, &all); err != nil {
		return err
	}
	p := c.printer(con)
	if p.forPeople() {
		err = printPreview(p.paper, all.Items)
	} else if items, fault := itemsOf(body); fault == nil {
		err = p.items(items)
	}
	if err != nil {
		return err
	}
	return worst(all.Items)
}

// printPreview shows occurrences, and then what stands against them.
func printPreview(w *paper, items []previewed) error {
	t := newTable(w, "OCCURRENCE START END STATUS")
	var (
		resources []resource
		remarks   []string
	)
	for _, o := range items {
		t.row(nominal(o.Nominal), o.Result.Start, o.Result.End, o.Result.status())
		resources = append(resources, o.Result.Resources...)
		for _, line := range o.Result.remarks() {
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
func worst(items []previewed) error {
	var unknown error
	for _, o := range items {
		err := o.Result.exit()
		if err != nil && o.Result.Status != "unknown" {
			return err
		}
		if err != nil {
			unknown = err
		}
	}
	return unknown
}
