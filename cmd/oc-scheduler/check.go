package main

import (
	"context"
	"encoding/json"
	"net/url"
)

type checkCmd struct {
	serverFlags
	Workflow string `arg:"" type:"ident" help:"The workflow's id."`
	question `embed:"" group:"The question:"`
}

// Run prints the answer, or with --watch one for each change. The exit code tells the last one.
func (c *checkCmd) Run(ctx context.Context, con *console) error {
	client, err := c.client(con)
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
	return about(blame(ask(ctx, con, client, request)), "workflow", c.Workflow)
}

func (c *checkCmd) once(ctx context.Context, con *console, client *client, request []byte) error {
	query := url.Values{}
	if c.Wait > 0 {
		query.Set("wait", c.Wait.String())
	}
	body, err := client.post(ctx, client.url(query, "oc", c.Workflow, "check"), request)
	if err != nil {
		return err
	}
	var answer result
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	if err := printDoc(c.printer(con), body, c.printTable); err != nil {
		return err
	}
	return answer.exit()
}

func (c *checkCmd) printTable(answer *result, w *paper) error {
	if err := answer.print(w); err != nil || len(answer.Missing) == 0 || c.Wait > 0 {
		return err
	}
	return printLines(w, []string{"With --wait 5s the missing planners are asked for."})
}
