package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// wish is what shall be booked, whichever way.
type wish struct {
	span
	Ask time.Duration `default:"5s" placeholder:"TIME" help:"Ask for planners that are missing, and wait so long for them."`
}

// wishDoc is a wish as a request has it.
type wishDoc struct {
	spanDoc
	WaitS float64 `json:"wait_s,omitempty"`
}

// AfterApply checks what is not to be sent.
func (w *wish) AfterApply() error {
	if w.Ask < 0 {
		return errors.New("--ask: must not be below zero")
	}
	return nil
}

func (w *wish) doc() (wishDoc, error) {
	doc, err := w.span.doc()
	return wishDoc{doc, w.Ask.Seconds()}, err
}

// booking is the part that commands have in common which book something of a workflow, or ask for it.
type booking struct {
	serverFlags
	Workflow string `arg:"" type:"ident" help:"The workflow's id."`
}

// request sends a wish. What stands against it is printed, and is an error that tells it by its exit code alone.
func (b *booking) request(ctx context.Context, con *console, client *client, what string, query url.Values, wish any) ([]byte, error) {
	doc, err := json.Marshal(wish)
	if err != nil {
		return nil, err
	}
	body, err := client.post(ctx, client.url(query, "oc", b.Workflow, what), doc)
	if p, ok := errors.AsType[*problem](err); ok && (p.Result != nil || len(p.Missing) > 0) {
		return nil, b.refusal(con, p)
	}
	return body, b.doubt(con, about(blame(err), "workflow", b.Workflow), what)
}

// doubt adds to an error that what was asked for may have come about.
func (b *booking) doubt(con *console, err error, what string) error {
	if err == nil || what != "schedules" && what != "runs" || refused(err) {
		return err
	}
	return fmt.Errorf("%w; whether it was booked is not known: look with `%s`", err, con.command("schedules", "--workflow", b.Workflow))
}

// refusal prints why something can't be booked.
func (b *booking) refusal(con *console, p *problem) error {
	code := exitUnavailable
	if p.Result == nil {
		code = exitUnknown
	}
	var err error
	out := b.printer(con)
	switch {
	case !out.forPeople():
		err = out.doc(p.doc)
	case p.Result != nil:
		err = p.Result.print(out.paper)
	default:
		err = printLines(out, []string{b.Workflow + ": unknown", missing(p.Missing)})
	}
	if err != nil {
		return err
	}
	return &exitError{code: code}
}

// aboutBooking names the schedule or hold that a question was about, where it is not there, or no more.
func aboutBooking(err error, kind, id string) error {
	if p, ok := errors.AsType[*problem](err); ok && p.Status == http.StatusGone {
		return fmt.Errorf("%s %q: %w", kind, id, err)
	}
	return about(blame(err), kind, id)
}
