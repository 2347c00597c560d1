package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	runs "oc-scheduler/store/run"
)

type startCmd struct {
	booking
	begun  `embed:"" group:"What is booked:"`
	Follow bool `short:"f" group:"What is booked:" help:"Follow the run until it is over, printing each change. Exits with 4 when it did not complete."`
}

// begun is a wish for one run.
type begun struct {
	wish
	later
}

// Run books a workflow and has it run, or prints what stands against it. The exit code tells which.
func (c *startCmd) Run(ctx context.Context, con *console) error {
	client, err := c.client(con)
	if err != nil {
		return err
	}
	wish, err := c.wish.doc()
	if err != nil {
		return err
	}
	body, err := c.request(ctx, con, client, "runs", nil, struct {
		wishDoc
		laterDoc
	}{wish, c.later.doc()})
	if err != nil {
		return err
	}
	if c.Follow {
		return c.follow(ctx, con, client, body)
	}
	return printDoc(con.stdout, c.Output, body, printRun)
}

// follow prints a run and each change of it, until it is over.
func (c *startCmd) follow(ctx context.Context, con *console, client *client, body []byte) error {
	f := &follower{con: con, json: c.Output == "json", known: map[string]string{}}
	for {
		r := &runs.Run{}
		if err := json.Unmarshal(body, r); err != nil {
			return err
		}
		if err := f.showRun(r, body); err != nil {
			return err
		}
		if r.State.Final() {
			if r.State != runs.Completed {
				return &exitError{code: exitIncomplete}
			}
			return nil
		}
		var err error
		body, err = f.look(ctx, client, "runs", r.ID)
		if ctx.Err() != nil {
			return &exitError{interrupted(ctx), fmt.Errorf("interrupted; the run goes on: oc-scheduler runs %[1]s, oc-scheduler runs cancel %[1]s", printable(r.ID))}
		}
		if err != nil {
			return about(err, "run", r.ID)
		}
	}
}

// showRun prints a run the first time, and then what has changed; of JSON each version.
func (f *follower) showRun(r *runs.Run, body []byte) error {
	first := f.shown == nil
	if bytes.Equal(f.shown, body) {
		return nil
	}
	f.shown = body
	var changes []string
	for _, s := range r.Steps {
		changes = f.note(changes, "step "+s.ItemID, reasoned(s.State, s.Reason))
	}
	changes = f.note(changes, r.ID, reasoned(r.State, r.Reason))
	switch {
	case f.json:
		_, err := fmt.Fprintf(f.con.stdout, "%s\n", bytes.TrimSpace(body))
		return err
	case first:
		return printRun(r, f.con.stdout)
	}
	return printLines(f.con.stdout, changes)
}

// note adds a line for what stands otherwise than at the last look.
func (f *follower) note(lines []string, name, state string) []string {
	if f.known[name] == state {
		return lines
	}
	f.known[name] = state
	return append(lines, name+": "+state)
}
