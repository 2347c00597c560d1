package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"oc-scheduler/client"
	"oc-scheduler/store/id"
)

type workflowsPutCmd struct {
	serverFlags
	File       string `arg:"" help:"A workflow in JSON; - is standard input."`
	asWorkflow `embed:"" group:"The workflow:"`
}

type asWorkflow struct {
	Group []string `placeholder:"GROUP" help:"A group that it belongs to; repeatable. Without it yours, or those that it has."`
}

// maxWorkflow bounds what is read of a file; what is too much for a replica it says itself.
const maxWorkflow = 64 << 20

// Run writes a workflow.
func (c *workflowsPutCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	doc, err := c.read()
	if err != nil {
		return err
	}
	workflowID, err := c.id(doc)
	if err != nil {
		return err
	}
	var was client.Answer
	if _, err := replica.PutWorkflow(ctx, workflowID, client.Workflow{}, c.Group, client.Body(doc), client.Into(&was)); err != nil {
		return about(err, "workflow", workflowID)
	}
	return printDoc(c.printer(con), was.Body, func(w *workflowDoc, on *paper) error {
		became := "is changed"
		if was.Created() {
			became = "is there"
		}
		return printLines(on, []string{"workflow " + w.ID + " " + became})
	})
}

func (c *workflowsPutCmd) read() (doc []byte, err error) {
	err = opened(c.File, func(r io.Reader) (err error) {
		doc, err = io.ReadAll(io.LimitReader(r, maxWorkflow))
		return err
	})
	return doc, err
}

// id is that which the file says.
func (c *workflowsPutCmd) id(doc []byte) (string, error) {
	var w struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(doc, &w); err != nil {
		return "", fmt.Errorf("%s: %w", c.File, err)
	}
	if err := id.Check(w.ID); err != nil {
		return "", fmt.Errorf("%s: id: %w", c.File, err)
	}
	return w.ID, nil
}

type workflowsRemoveCmd struct {
	serverFlags
	Workflow string `arg:"" type:"ident" help:"The workflow."`
}

// Run removes a workflow.
func (c *workflowsRemoveCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	if err := replica.DeleteWorkflow(ctx, c.Workflow); err != nil {
		return about(err, "workflow", c.Workflow)
	}
	return c.printer(con).done(c.Workflow, "removed", "workflow "+c.Workflow+" is removed")
}
