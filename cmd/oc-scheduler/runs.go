package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"oc-scheduler/client"
)

type runsCmd struct {
	List   runsListCmd   `cmd:"" default:"withargs" help:"List the runs, or show one with its steps."`
	Show   runsShowCmd   `cmd:"" help:"Show a run with its steps."`
	Cancel runsCancelCmd `cmd:"" help:"End a run, whatever it is at."`
}

type runsListCmd struct {
	serverFlags
	Of         string `arg:"" name:"run" type:"ident" optional:"" help:"Show this one: runs show RUN."`
	soughtRuns `embed:"" group:"What is listed:"`
	watched    `embed:"" group:"What is listed:"`
}

type runsShowCmd struct {
	serverFlags
	Of string `arg:"" name:"run" type:"ident" help:"The run."`
}

// soughtRuns says which runs are listed.
type soughtRuns struct {
	Workflow string `placeholder:"ID" help:"Those of this workflow."`
	Schedule string `placeholder:"ID" help:"Those of this schedule."`
	State    string `placeholder:"STATE" help:"Those that are scheduled, starting, running, completed, failed, cancelled or missed."`
	From     when   `placeholder:"TIME" help:"Those whose booked start is not before; 09:00 is that of today, now-1h an hour ago."`
	To       when   `placeholder:"TIME" help:"Those whose booked start is before."`
}

// times are those that runs are sought by; whether they make sense is for the replica to say.
func (s *soughtRuns) times() (options []client.CallOption) {
	today, _ := onDay("00:00", time.Now())
	for name, at := range map[string]when{"from": s.From, "to": s.To} {
		if at != "" {
			options = append(options, client.Query(name, at.at(today)))
		}
	}
	return options
}

// Help tells of what is beside the list.
func (*runsListCmd) Help() string {
	return "`runs cancel ID` ends a run, `history ID` tells what became of it, `start WORKFLOW` begins one."
}

// Run lists the runs, the latest first, or shows one.
func (c *runsListCmd) Run(ctx context.Context, con *console) error {
	if c.Of != "" {
		return (&runsShowCmd{c.serverFlags, c.Of}).Run(ctx, con)
	}
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	return blame(list{
		from: every(func(ctx context.Context, p client.Page, options ...client.CallOption) (*client.List[client.Run], error) {
			return replica.ListRuns(ctx, client.RunFilter{Workflow: c.Workflow, Schedule: c.Schedule, State: c.State}, p, append(options, c.times()...)...)
		}),
		header: "RUN WORKFLOW STATE START ENDED LATE REASON", row: runRow, sort: latestFirst, watched: c.watched,
	}.print(ctx, c.printer(con)))
}

// Run shows a run.
func (c *runsShowCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	var was client.Answer
	if _, err := replica.GetRun(ctx, c.Of, client.Into(&was)); err != nil {
		return about(err, "run", c.Of)
	}
	return printDoc(c.printer(con), was.Body, printRun)
}

func runRow(item json.RawMessage) ([]any, error) {
	var r client.Run
	err := json.Unmarshal(item, &r)
	return []any{r.ID, r.WorkflowID, r.State, rough(r.Start), rough(r.EndedAt), lateText(&r), r.Reason}, err
}

type runsCancelCmd struct {
	serverFlags
	Of     string `arg:"" name:"run" type:"ident" help:"The run."`
	Reason string `group:"The cancellation:" placeholder:"TEXT" help:"Why, for the record."`
}

// Run has a run end; it has ended when its nodes say so.
func (c *runsCancelCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	var was client.Answer
	if _, err := replica.CancelRun(ctx, c.Of, c.Reason, client.Into(&was)); err != nil {
		return about(blame(err), "run", c.Of)
	}
	return printDoc(c.printer(con), was.Body, printCancelledRun)
}

// printCancelledRun tells what became of a cancellation: one that comes after the end changes nothing.
func printCancelledRun(r *client.Run, w *paper) error {
	outcome := r.ID + " is to end"
	switch {
	case r.State == "cancelled":
		outcome = r.ID + " is cancelled"
	case r.Final():
		outcome = r.ID + " had ended: " + r.State
	}
	_, err := fmt.Fprintln(w, printable(outcome))
	return err
}
