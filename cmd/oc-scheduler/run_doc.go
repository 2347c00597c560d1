package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"oc-scheduler/client"
)

// printRun shows a run, a line for each thing that is known of it, its steps, and what was executed for them.
func printRun(r *client.Run, w *paper) error {
	t := newTable(w, "")
	t.row("run", r.ID)
	t.row("workflow", r.WorkflowID)
	t.row("schedule", r.ScheduleID)
	t.row("occurrence", r.Nominal)
	t.row("state", because(r.State, r.Reason))
	t.row("from", r.Start)
	t.row("until", r.End)
	t.row("started", r.StartedAt)
	t.row("late", lateText(r))
	t.row("ended", r.EndedAt)
	for _, label := range slices.Sorted(maps.Keys(r.Labels)) {
		t.row("label", label+"="+r.Labels[label])
	}
	if err := t.flush(); err != nil {
		return err
	}
	return printSteps(w, r.Steps)
}

func printSteps(w *paper, list []client.RunStep) error {
	steps, executions := newTable(w, "STEP STATE FROM UNTIL STARTED ENDED"), newTable(w, "EXECUTION STEP NODE ATTEMPT STATE EXIT")
	some := false
	for _, s := range list {
		steps.row(s.ItemID, because(s.State, s.Reason), s.Start, s.End, rough(s.StartedAt), rough(s.EndedAt))
		for _, x := range s.Executions {
			some = true
			code := ""
			if x.ExitCode != nil {
				code = fmt.Sprint(*x.ExitCode)
			}
			executions.row(x.ExecutionID, s.ItemID, x.NodeID, x.Attempt, x.State, code)
		}
	}
	if len(list) == 0 {
		return nil
	}
	if err := steps.flush(); err != nil || !some {
		return err
	}
	return executions.flush()
}

// because is a state, and why.
func because(state, reason string) string {
	if strings.HasPrefix(reason, state+": ") {
		return reason // its first word is the state
	}
	return strings.TrimSuffix(state+": "+reason, ": ")
}

// lateText is how late a run began; empty: it has not.
func lateText(r *client.Run) string {
	if r.LateS == nil {
		return ""
	}
	return time.Duration(*r.LateS * float64(time.Second)).Round(time.Millisecond).String()
}
