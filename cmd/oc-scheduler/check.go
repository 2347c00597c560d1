package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
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
	request, err := c.request()
	if err != nil {
		return err
	}
	if c.Watch {
		return c.watch(ctx, con, client, request)
	}
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
	if err := c.print(con, body, &answer); err != nil {
		return err
	}
	return answer.exit()
}

// request is the flags as a check request; whether they make sense is for the replica to say.
func (c *checkCmd) request() ([]byte, error) {
	instances := map[string]string{}
	for _, choice := range c.Instance {
		colon := strings.LastIndexByte(choice, ':')
		if colon < 0 {
			return nil, fmt.Errorf("--instance: %q is not RESOURCE:INSTANCE", choice)
		}
		instances[choice[:colon]] = choice[colon+1:]
	}
	return json.Marshal(struct {
		Start       string            `json:"start,omitempty"`
		End         string            `json:"end,omitempty"`
		DurationS   float64           `json:"duration_s,omitempty"`
		BookingMode string            `json:"booking_mode,omitempty"`
		AsPossible  bool              `json:"as_possible,omitempty"`
		Preemption  bool              `json:"preemption,omitempty"`
		Instances   map[string]string `json:"selected_instances,omitempty"`
	}{c.Start, c.End, c.Duration.Seconds(), c.BookingMode, c.AsPossible, c.Preemption, instances})
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
