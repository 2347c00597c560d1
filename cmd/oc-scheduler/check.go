package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"time"
)

type checkCmd struct {
	serverFlags
	Workflow    string        `arg:"" help:"The workflow's id."`
	Start       string        `placeholder:"TIME" help:"When it shall begin (RFC 3339); now when absent."`
	End         string        `placeholder:"TIME" help:"When it shall end (RFC 3339), instead of --duration."`
	Duration    time.Duration `placeholder:"TIME" help:"How long it takes; without it the workflow's own durations count."`
	AsPossible  bool          `help:"Ask for the earliest window from now on."`
	Preemption  bool          `help:"Capacity that others have booked counts as available."`
	BookingMode string        `placeholder:"MODE" help:"planned, preempted or when_possible."`
	Instance    []string      `placeholder:"RESOURCE:INSTANCE" help:"Place a resource on this instance; repeatable."`
	Wait        time.Duration `placeholder:"TIME" help:"Wait so long for planners that are missing."`
	Watch       bool          `short:"w" help:"Print an answer for each change until interrupted."`
}

// Run prints the answer, or with --watch one for each change. The exit code tells the last one.
func (c *checkCmd) Run(ctx context.Context, con *console) error {
	client, err := c.client()
	if err != nil {
		return err
	}
	if c.Watch {
		return c.watch(ctx, con, client)
	}
	query := c.query()
	if c.Wait > 0 {
		query.Set("wait", c.Wait.String())
	}
	body, err := client.get(ctx, client.url(query, "oc", c.Workflow, "check"))
	if err != nil {
		return err
	}
	var answer result
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	if err := c.print(con, body, &answer); err != nil {
		return err
	}
	return answer.exit()
}

// query writes the request as the parameters that the check routes share.
func (c *checkCmd) query() url.Values {
	q := url.Values{}
	set := func(name, value string) {
		if value != "" {
			q.Set(name, value)
		}
	}
	set("start", c.Start)
	set("end", c.End)
	set("booking_mode", c.BookingMode)
	if c.Duration != 0 {
		set("duration", c.Duration.String())
	}
	if c.AsPossible {
		set("as_possible", strconv.FormatBool(true))
	}
	if c.Preemption {
		set("preemption", strconv.FormatBool(true))
	}
	for _, instance := range c.Instance {
		q.Add("selected_instances", instance)
	}
	return q
}

// print shows an answer: of several, each JSON takes one line, and tables are set apart.
func (c *checkCmd) print(con *console, body []byte, answer *result) error {
	switch {
	case c.Output == "json" && c.Watch:
		_, err := fmt.Fprintf(con.stdout, "%s\n", body)
		return err
	case c.Output == "json":
		return printJSON(con.stdout, json.RawMessage(body))
	}
	if err := answer.print(con.stdout); err != nil {
		return err
	}
	switch {
	case c.Watch:
		_, err := fmt.Fprintln(con.stdout)
		return err
	case len(answer.Missing) > 0 && c.Wait == 0:
		_, err := fmt.Fprintln(con.stdout, "With --wait 5s the missing planners are asked for.")
		return err
	}
	return nil
}
