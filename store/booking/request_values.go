package booking

import (
	"errors"
	"strings"
	"time"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/id"
	"oc-scheduler/store/timetext"
)

// draft collects the members of a request, whatever they are written in, and notes their faults.
type draft struct {
	Request
	mode          Mode
	hasEnd, hasDu bool
	faults        fault.List
}

func (d *draft) start(path, text string) { d.Start = d.instant(path, text) }

func (d *draft) end(path, text string) {
	d.End, d.hasEnd = d.instant(path, text), true
}

func (d *draft) instant(path, text string) time.Time {
	ns, err := timetext.Instant(text)
	if errors.Is(err, timetext.ErrSyntax) {
		d.faults.Add(path, "must be a time like 2026-12-01T09:00:00Z (RFC 3339), with at most nanoseconds")
		return time.Time{}
	}
	t := instant(ns)
	if err != nil || t.Year() < 1700 || t.Year() > 2260 { // what fits into int64 nanoseconds, with room
		d.faults.Add(path, "must lie between the years 1700 and 2260")
		return time.Time{}
	}
	return t
}

// seconds takes a JSON number or the text of one.
func (d *draft) seconds(path, number string) {
	length, err := timetext.Seconds(number)
	if err != nil {
		d.faults.Add(path, "must be a number of seconds")
		d.hasDu = true
		return
	}
	d.length(path, length)
}

func (d *draft) length(path string, length time.Duration) {
	switch {
	case d.hasDu:
		d.faults.Add(path, "the duration is given twice")
	case length <= 0:
		d.faults.Add(path, "must be above zero")
	}
	d.Duration, d.hasDu = length, true
}

func (d *draft) bookingMode(path, text string) {
	switch d.mode = Mode(text); d.mode {
	case Planned, Preempted, WhenPossible:
	default:
		d.faults.Add(path, "must be %s, %s or %s", Planned, Preempted, WhenPossible)
	}
}

func (d *draft) selected(path, resource, instance string) {
	if peer, rest, ok := strings.Cut(resource, "/"); ok && id.Check(peer) == nil && id.Check(rest) == nil {
		// peer/resource: each part is an id of its own and may have the full length.
	} else if err := id.Check(resource); err != nil {
		d.faults.Add(path, "resource: %v", err)
	}
	if err := id.Check(instance); err != nil {
		d.faults.Add(path, "instance: %v", err)
	}
	if _, twice := d.Selected[resource]; twice {
		d.faults.Add(path, "the resource is named twice")
	}
	if d.Selected == nil {
		d.Selected = map[string]string{}
	}
	d.Selected[resource] = instance
}

// request applies the mode and the rules between members.
func (d *draft) request() (Request, error) {
	if d.hasEnd && d.hasDu {
		d.faults.Add("$.end", "end and duration cannot both be given")
	}
	d.AsPossible = d.AsPossible || d.mode == WhenPossible
	d.Preemption = d.Preemption || d.mode == Preempted
	return d.Request, d.faults.Err()
}
