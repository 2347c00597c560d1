package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"oc-scheduler/client"
)

// fewOccurrences is how many are shown of what was just made or changed; 0 is all.
const fewOccurrences = 10

// printSchedule shows a schedule, a line for each thing that is known of it, and at most so many of its occurrences.
func printSchedule(w *paper, s *client.Schedule, most int) error {
	t := newTable(w, "")
	t.row("schedule", s.ID)
	t.row("workflow", s.WorkflowID)
	t.row("state", standing(s))
	t.row("when", timingOf(s.Request))
	for _, label := range slices.Sorted(maps.Keys(s.Labels)) {
		t.row("label", label+"="+s.Labels[label])
	}
	t.row("created", s.CreatedAt)
	t.row("by", s.CreatedBy)
	if err := t.flush(); err != nil {
		return err
	}
	return printOccurrences(w, s, most)
}

func printOccurrences(w *paper, s *client.Schedule, most int) error {
	shown := s.Occurrences
	if most > 0 && len(shown) > most {
		shown = shown[:most]
	}
	if len(shown) == 0 {
		return nil
	}
	t := newTable(w, "OCCURRENCE START END STATE ON")
	for _, o := range shown {
		t.row(nominal(o.Nominal), o.Start, o.End, stateOf(&o), placesOf(o.Bookings))
	}
	err := t.flush()
	if more := len(s.Occurrences) - len(shown); err == nil && more > 0 {
		_, err = fmt.Fprintf(w, "and %d more: %s\n", more, w.con.command("schedules", s.ID))
	}
	return err
}

// standing is how a schedule stands, and why.
func standing(s *client.Schedule) string {
	return because(atRisk(s.State, s.AtRisk), s.Reason)
}

func stateOf(o *client.Occurrence) string { return atRisk(o.State, o.AtRisk) }

// atRisk adds to a state that a planner has too little for what is booked.
func atRisk(state string, is bool) string {
	if is {
		return state + ", at risk"
	}
	return state
}

// nominal is the time that names an occurrence: a local one, with its offset.
func nominal(t time.Time) string { return t.Format(time.RFC3339Nano) }

// timing is what a schedule's request says of when it is to run.
type timing struct {
	Cron     string `json:"cron"`
	TimeZone string `json:"time_zone"`
	Start    string `json:"start"`
}

func timingOf(request json.RawMessage) (t timing) {
	_ = json.Unmarshal(request, &t) // what can't be read is not shown
	return t
}

func (t timing) String() string {
	if t.Cron != "" {
		return t.Cron + " " + cmp.Or(t.TimeZone, "UTC")
	}
	return cmp.Or(t.Start, "once")
}

// placesOf are the instances of which something was taken.
func placesOf(taken []client.TakenInstance) string {
	var places []string
	for _, t := range taken {
		place := t.PeerID + "/" + t.ResourceID + "/" + t.InstanceID
		if !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	return strings.Join(places, ", ")
}
