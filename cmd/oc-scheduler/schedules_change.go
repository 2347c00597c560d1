package main

import (
	"context"

	"oc-scheduler/client"
	"oc-scheduler/store/schedule"
)

// scheduleChange is what is done to a schedule.
type scheduleChange struct {
	serverFlags
	Schedule string `arg:"" type:"ident" help:"The schedule."`
}

// changing is the request that makes a change.
type changing func(*client.Client, context.Context, string, ...client.CallOption) (*client.Schedule, error)

func (c *scheduleChange) change(ctx context.Context, con *console, how changing) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	var was client.Answer
	if _, err := how(replica.Client, ctx, c.Schedule, client.Into(&was)); err != nil {
		return aboutBooking(err, "schedule", c.Schedule)
	}
	return printMade(c.printer(con), was.Body)
}

type schedulesPauseCmd struct{ scheduleChange }

// Run pauses a schedule.
func (c *schedulesPauseCmd) Run(ctx context.Context, con *console) error {
	return c.change(ctx, con, (*client.Client).PauseSchedule)
}

type schedulesResumeCmd struct{ scheduleChange }

// Run resumes a schedule.
func (c *schedulesResumeCmd) Run(ctx context.Context, con *console) error {
	return c.change(ctx, con, (*client.Client).ResumeSchedule)
}

type schedulesCancelCmd struct {
	serverFlags
	ID   string `arg:"" name:"schedule" type:"ident" help:"The schedule, or the hold."`
	Runs string `group:"The cancellation:" default:"keep" enum:"keep,cancel" help:"Whether the runs of the schedule that are under way go on (keep), or end, too (cancel)."`
}

// Run cancels a schedule, or releases a hold, which has no runs.
func (c *schedulesCancelCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	kind := "schedule"
	if schedule.OfHold.Is(c.ID) {
		kind = "hold"
		err = replica.ReleaseHold(ctx, c.ID)
	} else {
		err = replica.CancelSchedule(ctx, c.ID, c.Runs)
	}
	if err != nil {
		return aboutBooking(err, kind, c.ID)
	}
	return c.printer(con).done(c.ID, "cancelled", kind+" "+c.ID+" is cancelled")
}
