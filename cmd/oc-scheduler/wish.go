package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"oc-scheduler/client"
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

// request has a wish sent, and returns the answer. What stands against it is printed, and is an error that tells it by
// its exit code alone.
func (b *booking) request(con *console, wish any, send func(...client.CallOption) error) ([]byte, error) {
	doc, err := json.Marshal(wish)
	if err != nil {
		return nil, err
	}
	var was client.Answer
	err = send(client.Body(doc), client.Into(&was))
	if p, ok := errors.AsType[*client.Problem](err); ok && (p.Result != nil || len(p.MissingPlanners) > 0) {
		return nil, b.refusal(con, p)
	}
	return was.Body, about(blame(err), "workflow", b.Workflow)
}

// doubt adds to an error that what was asked for may have come about.
func (b *booking) doubt(con *console, err error) error {
	if _, told := errors.AsType[*exitError](err); told || !client.InDoubt(err) {
		return err
	}
	return fmt.Errorf("%w; whether it was booked is not known: look with `%s`", err, con.command("schedules", "--workflow", b.Workflow))
}

// refusal prints why something can't be booked.
func (b *booking) refusal(con *console, p *client.Problem) error {
	code := exitUnavailable
	if p.Result == nil {
		code = exitUnknown
	}
	var err error
	out := b.printer(con)
	switch {
	case !out.forPeople():
		err = out.doc(p.Document)
	case p.Result != nil:
		err = (*result)(p.Result).print(out.paper)
	default:
		err = printLines(out, []string{b.Workflow + ": unknown", missing(p.MissingPlanners)})
	}
	if err != nil {
		return err
	}
	return &exitError{code: code}
}

// aboutBooking names the schedule or hold that a question was about, where it is not there, or no more.
func aboutBooking(err error, kind, id string) error {
	if errors.Is(err, client.ErrGone) {
		return fmt.Errorf("%s %q: %w", kind, id, err)
	}
	return about(blame(err), kind, id)
}
