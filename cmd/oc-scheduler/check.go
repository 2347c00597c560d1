package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
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
	was, body, err := client.send(ctx, http.MethodPost, client.url(query, "oc", c.Workflow, "check"), request)
	if err != nil {
		return err
	}
	var answer result
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	if err := errors.Join(printDoc(c.printer(con), body, c.printTable), tellAge(con.stderr, was.header)); err != nil {
		return err
	}
	return answer.exit()
}

// tellAge says how old an answer is that a replica gave from memory.
func tellAge(w io.Writer, header http.Header) error {
	age, err := strconv.Atoi(header.Get("Age"))
	if err != nil || age <= 0 {
		return nil // it is live
	}
	_, err = fmt.Fprintf(w, "The answer is %v old: the replica does not reach NATS.\n", time.Duration(age)*time.Second)
	return err
}

func (c *checkCmd) printTable(answer *result, w *paper) error {
	if err := answer.print(w); err != nil || len(answer.Missing) == 0 || c.Wait > 0 {
		return err
	}
	return printLines(w, []string{"With --wait 5s the missing planners are asked for."})
}
