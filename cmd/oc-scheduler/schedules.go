package main

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"oc-scheduler/client"
)

type schedulesCmd struct {
	List   schedulesListCmd   `cmd:"" default:"withargs" help:"List the schedules, or show one with its occurrences."`
	Show   schedulesShowCmd   `cmd:"" help:"Show a schedule with its occurrences."`
	Pause  schedulesPauseCmd  `cmd:"" help:"Book and start nothing new of a schedule; what is booked stays."`
	Resume schedulesResumeCmd `cmd:"" help:"End a pause; what fell due meanwhile is skipped."`
	Cancel schedulesCancelCmd `cmd:"" help:"Cancel a schedule, or a hold: what is booked and has not begun is freed."`
}

type schedulesListCmd struct {
	serverFlags
	Schedule string `arg:"" type:"ident" optional:"" help:"Show this one: schedules show SCHEDULE."`
	sought   `embed:"" group:"What is listed:"`
	watched  `embed:"" group:"What is listed:"`
}

type schedulesShowCmd struct {
	serverFlags
	Schedule string `arg:"" type:"ident" help:"The schedule."`
}

// sought says which schedules are listed.
type sought struct {
	Workflow string            `placeholder:"ID" help:"Those of this workflow."`
	State    string            `placeholder:"STATE" help:"Those that are active, paused, ended or cancelled."`
	Label    map[string]string `mapsep:"none" placeholder:"NAME=VALUE" help:"Those with this label; of several, with all."`
}

// Help tells of what is beside the list.
func (*schedulesListCmd) Help() string {
	return "`schedules pause ID` books nothing new, `schedules resume ID` goes on, `schedules cancel ID` frees what has not begun."
}

// Run lists the schedules, or shows one.
func (c *schedulesListCmd) Run(ctx context.Context, con *console) error {
	if c.Schedule != "" {
		return (&schedulesShowCmd{c.serverFlags, c.Schedule}).Run(ctx, con)
	}
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	return blame(list{
		from: every(func(ctx context.Context, p client.Page, options ...client.CallOption) (*client.List[client.Schedule], error) {
			return replica.ListSchedules(ctx, client.ScheduleFilter{Workflow: c.Workflow, State: c.State, Labels: c.Label}, p, options...)
		}),
		header: "SCHEDULE WORKFLOW STATE WHEN LABELS CREATED BY", row: scheduleRow, sort: latestFirst,
		watched: c.watched,
	}.print(ctx, c.printer(con)))
}

// Run shows a schedule.
func (c *schedulesShowCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	var was client.Answer
	if _, err := replica.GetSchedule(ctx, c.Schedule, client.Into(&was)); err != nil {
		return aboutBooking(err, "schedule", c.Schedule)
	}
	return printDoc(c.printer(con), was.Body, func(s *client.Schedule, w *paper) error { return printSchedule(w, s, 0) })
}

// latestFirst turns round a list that comes by ids which are in the order of time.
func latestFirst(items []json.RawMessage) error {
	slices.Reverse(items)
	return nil
}

func scheduleRow(item json.RawMessage) ([]any, error) {
	var s client.Schedule
	err := json.Unmarshal(item, &s)
	labels := make([]string, 0, len(s.Labels))
	for _, name := range slices.Sorted(maps.Keys(s.Labels)) {
		labels = append(labels, name+"="+s.Labels[name])
	}
	return []any{s.ID, s.WorkflowID, standing(&s), timingOf(s.Request), strings.Join(labels, ", "), rough(s.CreatedAt), s.CreatedBy}, err
}
