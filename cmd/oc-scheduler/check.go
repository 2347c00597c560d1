package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"oc-scheduler/client"
)

type checkCmd struct {
	serverFlags
	Workflow string `arg:"" type:"ident" help:"The workflow's id."`
	question `embed:"" group:"The question:"`
}

// Run prints the answer, or with --watch one for each change. The exit code tells the last one.
func (c *checkCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	request, err := c.request()
	if err != nil {
		return err
	}
	ask := c.once
	if c.Watch {
		ask = c.watch
	}
	return about(blame(ask(ctx, con, replica, request)), "workflow", c.Workflow)
}

func (c *checkCmd) once(ctx context.Context, con *console, replica *replica, request []byte) error {
	var was client.Answer
	options := []client.CallOption{client.Body(request), client.Into(&was)}
	if c.Wait > 0 {
		options = append(options, client.Wait(c.Wait))
	}
	answer, err := replica.CheckWorkflow(ctx, c.Workflow, client.CheckRequest{}, options...)
	if err != nil {
		return err
	}
	if err := errors.Join(printDoc(c.printer(con), was.Body, c.printTable), tellAge(con.stderr, was.Age())); err != nil {
		return err
	}
	return (*result)(answer).exit()
}

// tellAge says how old an answer is that a replica gave from memory.
func tellAge(w io.Writer, age time.Duration) error {
	if age == 0 {
		return nil // it is live
	}
	_, err := fmt.Fprintf(w, "The answer is %v old: the replica does not reach NATS.\n", age)
	return err
}

func (c *checkCmd) printTable(answer *result, w *paper) error {
	if err := answer.print(w); err != nil || len(answer.MissingPlanners) == 0 || c.Wait > 0 {
		return err
	}
	return printLines(w, []string{"With --wait 5s the missing planners are asked for."})
}
