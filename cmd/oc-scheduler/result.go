package main

import (
	"fmt"
	"strconv"
	"strings"

	"oc-scheduler/client"
)

// result is a check result as the contract gives it.
type result client.CheckResult

// exit is the code that tells a script the answer: taken capacity that may be preempted counts.
func (r *result) exit() error {
	switch {
	case r.Available:
		return nil
	case r.Status == "unknown":
		return &exitError{code: exitUnknown}
	}
	return &exitError{code: exitUnavailable}
}

func (r *result) print(w *paper) error {
	if err := r.printHead(w); err != nil {
		return err
	}
	items := newTable(w, "ITEM KIND RESOURCE PEER INSTANCE STATUS")
	for _, res := range r.Resources {
		items.row(res.ItemID, res.Kind, res.ResourceID, res.PeerID, res.InstanceID, res.Status)
	}
	if err := items.flush(); err != nil {
		return err
	}
	return printConflicts(w, r.Resources)
}

// printConflicts shows what is taken, and by whom, if something is.
func printConflicts(w *paper, resources []client.ResourceResult) error {
	t := newTable(w, "CONFLICT FROM UNTIL DIMENSION REQUESTED FREE BY")
	some := false
	for _, res := range resources {
		for _, c := range res.Conflicts {
			some = true
			t.row(res.ItemID, c.Start, c.End, c.Dimension, number(c.Requested), number(c.Free), names(c.By))
		}
	}
	if !some {
		return nil
	}
	return t.flush()
}

// printHead answers the question in one line; further lines say what can be done about it.
func (r *result) printHead(w *paper) error {
	lines := []string{fmt.Sprintf("%s: %s from %s to %s (%v)", r.WorkflowID, r.status(),
		w.time(r.Start), w.time(r.End), r.End.Sub(r.Start))}
	if r.NextSlot != nil {
		lines = append(lines, fmt.Sprintf("next slot: from %s to %s", w.time(r.NextSlot.Start), w.time(r.NextSlot.End)))
	}
	return printLines(w, append(lines, r.remarks()...))
}

// remarks are what is missing, and what is odd.
func (r *result) remarks() (lines []string) {
	if len(r.MissingPlanners) > 0 {
		lines = append(lines, missing(r.MissingPlanners))
	}
	for _, warning := range r.Warnings {
		lines = append(lines, "warning: "+warning)
	}
	return lines
}

func missing(peers []string) string { return "missing planners: " + strings.Join(peers, ", ") }

// status is the answer in a word or three.
func (r *result) status() string {
	if r.Preemptible {
		return "available by preemption"
	}
	return r.Status
}

func names(by []client.Taker) string {
	list := make([]string, len(by))
	for i, t := range by {
		if list[i] = t.ScheduleID + t.HoldID; t.Planner {
			list[i] = "planner"
		}
	}
	return strings.Join(list, ", ")
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
