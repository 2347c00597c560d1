package ui

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"oc-scheduler/store/plan"
)

// mostStanding is how many of each kind the page of a workflow shows.
const mostStanding = 20

// overview is what is held, booked and run: of each kind so many, and how many there are beyond.
type overview struct {
	Holds     []plan.ListedHold // those that end first
	Schedules []scheduleRow     // the newest that have not ended
	Runs      []plan.ListedRun  // the newest

	MoreHolds, MoreSchedules, MoreRuns int
}

// scheduleRow is a schedule in a list.
type scheduleRow struct {
	plan.Listed
	Recurrence recurrence
	Start, End time.Time // of its next occurrence; zero: nothing is booked
}

// recurrence is when a schedule comes again, as it was asked for.
type recurrence struct {
	Cron string `json:"cron"` // empty: it comes once
	Zone string `json:"time_zone"`
}

// recurrenceOf is that of a request; one that can't be read is shown without.
func recurrenceOf(request json.RawMessage) (r recurrence) {
	_ = json.Unmarshal(request, &r)
	return r
}

// standing lists up to so many of each kind, of those workflows that of says yes to. What a row takes beside the list is
// worked out for those that are shown alone: there may be thousands.
func (p *Parts) standing(most int, now time.Time, of func(workflowID string) bool) (v overview) {
	for _, h := range p.HoldList.All() {
		if h.Open && h.ExpiresAt.After(now) && of(h.WorkflowID) {
			v.Holds = append(v.Holds, h)
		}
	}
	v.Holds, v.MoreHolds = first(v.Holds, most, func(a, b plan.ListedHold) int {
		return cmp.Or(a.ExpiresAt.Compare(b.ExpiresAt), strings.Compare(a.ID, b.ID))
	})
	var schedules []plan.Listed
	for _, l := range p.Bookings.Schedules().All() {
		if !l.State.Final() && of(l.WorkflowID) {
			schedules = append(schedules, l)
		}
	}
	schedules, v.MoreSchedules = first(schedules, most, func(a, b plan.Listed) int { return strings.Compare(b.ID, a.ID) })
	for _, l := range schedules {
		row := scheduleRow{Listed: p.Risks.Tell(l), Recurrence: recurrenceOf(l.Request)}
		row.Start, row.End = l.Next()
		v.Schedules = append(v.Schedules, row)
	}
	for _, r := range p.RunList.All() {
		if of(r.WorkflowID) {
			v.Runs = append(v.Runs, r)
		}
	}
	v.Runs, v.MoreRuns = first(v.Runs, most, func(a, b plan.ListedRun) int { return strings.Compare(b.ID, a.ID) })
	return v
}

// first are up to so many of a list in an order, and how many there are beyond. Ids are in the order of their making.
func first[T any](list []T, most int, order func(a, b T) int) (some []T, more int) {
	slices.SortFunc(list, order)
	more = max(len(list)-most, 0)
	return slices.Clip(list[:len(list)-more]), more
}
