package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// result is a check result as the contract gives it, as far as people want to see it.
type result struct {
	WorkflowID  string     `json:"workflow_id"`
	Version     string     `json:"version"`
	Status      string     `json:"status"`
	Available   bool       `json:"available"`
	Preemptible bool       `json:"preemptible"`
	Start       time.Time  `json:"start"`
	End         time.Time  `json:"end"`
	NextSlot    *window    `json:"next_slot"`
	Resources   []resource `json:"resources"`
	Missing     []string   `json:"missing_planners"`
	Warnings    []string   `json:"warnings"`
}

type window struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

type resource struct {
	ItemID     string     `json:"item_id"`
	Kind       string     `json:"kind"`
	ResourceID string     `json:"resource_id"`
	PeerID     string     `json:"peer_id"`
	InstanceID string     `json:"instance_id"`
	Status     string     `json:"status"`
	Conflicts  []conflict `json:"conflicts"`
}

type conflict struct {
	window
	Dimension string  `json:"dimension"`
	Requested float64 `json:"requested"`
	Free      float64 `json:"free"`
	By        []taker `json:"by"`
}

type taker struct {
	ScheduleID string `json:"schedule_id"`
	HoldID     string `json:"hold_id"`
	Planner    bool   `json:"planner"`
}

func (t taker) String() string {
	if t.Planner {
		return "planner"
	}
	return t.ScheduleID + t.HoldID
}

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
func printConflicts(w *paper, resources []resource) error {
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
	if len(r.Missing) > 0 {
		lines = append(lines, missing(r.Missing))
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

func names(by []taker) string {
	list := make([]string, len(by))
	for i, t := range by {
		list[i] = t.String()
	}
	return strings.Join(list, ", ")
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
