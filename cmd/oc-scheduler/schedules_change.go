package main

import (
	"context"
	"net/url"

	"oc-scheduler/store/schedule"
)

// scheduleChange is what is done to a schedule.
type scheduleChange struct {
	serverFlags
	Schedule string `arg:"" type:"ident" help:"The schedule."`
}

func (c *scheduleChange) change(ctx context.Context, con *console, how string) error {
	client, err := c.client(con)
	if err != nil {
		return err
	}
	body, err := client.post(ctx, client.url(nil, "schedules", c.Schedule, how), nil)
	if err != nil {
		return aboutBooking(err, "schedule", c.Schedule)
	}
	return printMade(c.printer(con), body)
}

type schedulesPauseCmd struct{ scheduleChange }

// Run pauses a schedule.
func (c *schedulesPauseCmd) Run(ctx context.Context, con *console) error {
	return c.change(ctx, con, "pause")
}

type schedulesResumeCmd struct{ scheduleChange }

// Run resumes a schedule.
func (c *schedulesResumeCmd) Run(ctx context.Context, con *console) error {
	return c.change(ctx, con, "resume")
}

type schedulesCancelCmd struct {
	serverFlags
	ID   string `arg:"" type:"ident" help:"The schedule, or the hold."`
	Runs string `group:"The cancellation:" default:"keep" enum:"keep,cancel" help:"Whether the runs of the schedule that are under way go on (keep), or end, too (cancel)."`
}

// Run cancels a schedule, or releases a hold, which has no runs.
func (c *schedulesCancelCmd) Run(ctx context.Context, con *console) error {
	client, err := c.client(con)
	if err != nil {
		return err
	}
	kind, query := "schedule", url.Values{"runs": {c.Runs}}
	if schedule.OfHold.Is(c.ID) {
		kind, query = "hold", nil
	}
	if err := client.del(ctx, client.url(query, kind+"s", c.ID)); err != nil {
		return aboutBooking(err, kind, c.ID)
	}
	return c.printer(con).done(c.ID, "cancelled", kind+" "+c.ID+" is cancelled")
}
