package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	runs "oc-scheduler/store/run"
)

// printRun shows a run, a line for each thing that is known of it, its steps, and what was executed for them.
func printRun(r *runs.Run, w *paper) error {
	t := newTable(w, "")
	t.row("run", r.ID)
	t.row("workflow", r.WorkflowID)
	t.row("schedule", r.ScheduleID)
	t.row("occurrence", r.Nominal)
	t.row("state", reasoned(r.State, r.Reason))
	t.row("from", r.Start)
	t.row("until", r.End)
	t.row("started", timeOf(r.StartedAt))
	t.row("late", lateText(r))
	t.row("ended", timeOf(r.EndedAt))
	for _, label := range slices.Sorted(maps.Keys(r.Labels)) {
		t.row("label", label+"="+r.Labels[label])
	}
	if err := t.flush(); err != nil {
		return err
	}
	return printSteps(w, r.Steps)
}

func printSteps(w *paper, list []runs.Step) error {
	steps, executions := newTable(w, "STEP STATE FROM UNTIL STARTED ENDED"), newTable(w, "EXECUTION STEP NODE ATTEMPT STATE EXIT")
	some := false
	for _, s := range list {
		steps.row(s.ItemID, reasoned(s.State, s.Reason), s.Start, s.End, rough(timeOf(s.StartedAt)), rough(timeOf(s.EndedAt)))
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

// reasoned is a state, and why.
func reasoned(state runs.State, reason string) string {
	return because(string(state), reason)
}

func because(state, reason string) string { return strings.TrimSuffix(state+": "+reason, ": ") }

// lateText is how late a run began; empty: it has not.
func lateText(r *runs.Run) string {
	if r.LateS == nil {
		return ""
	}
	return time.Duration(*r.LateS * float64(time.Second)).Round(time.Millisecond).String()
}

// timeOf is a time that may not have come: zero.
func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}
