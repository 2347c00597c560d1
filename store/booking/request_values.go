package booking

import (
	"errors"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/id"
	"oc-scheduler/store/strictjson"
	"oc-scheduler/store/timetext"
)

// draft collects the members of a request, whatever they are written in, and notes their faults.
type draft struct {
	Request
	strictjson.Reader
	other         func(r *strictjson.Reader, name []byte, value jsontext.Value) bool
	mode          Mode
	hasEnd, hasDu bool
}

func (d *draft) start(path, text string) { d.Start = d.instant(path, text) }

func (d *draft) end(path, text string) {
	d.End, d.hasEnd = d.instant(path, text), true
}

func (d *draft) instant(path, text string) time.Time {
	ns, err := timetext.Instant(text)
	if errors.Is(err, timetext.ErrSyntax) {
		d.Faults.Add(path, "must be a time like 2026-12-01T09:00:00Z (RFC 3339), with at most nanoseconds")
		return time.Time{}
	}
	t := instant(ns)
	if err != nil || t.Year() < 1700 || t.Year() > 2260 { // what fits into int64 nanoseconds, with room
		d.Faults.Add(path, "must lie between the years 1700 and 2260")
		return time.Time{}
	}
	return t
}

// seconds takes a JSON number.
func (d *draft) seconds(path string, number []byte) {
	length, ok := d.Seconds(path, number)
	if !ok {
		d.hasDu = true
		return
	}
	d.length(path, length)
}

func (d *draft) length(path string, length time.Duration) {
	switch {
	case d.hasDu:
		d.Faults.Add(path, "the duration is given twice")
	case length <= 0:
		d.Faults.Add(path, "must be above zero")
	}
	d.Duration, d.hasDu = length, true
}

func (d *draft) bookingMode(path, text string) {
	switch d.mode = Mode(text); d.mode {
	case Planned, Preempted, WhenPossible:
	default:
		d.Faults.Add(path, "must be %s, %s or %s", Planned, Preempted, WhenPossible)
	}
}

func (d *draft) selected(path, resource, instance string) {
	if peer, rest, ok := strings.Cut(resource, "/"); ok && id.Check(peer) == nil && id.Check(rest) == nil {
		// peer/resource: each part is an id of its own and may have the full length.
	} else if err := id.Check(resource); err != nil {
		d.Faults.Add(path, "resource: %v", err)
	}
	if err := id.Check(instance); err != nil {
		d.Faults.Add(path, "instance: %v", err)
	}
	if _, twice := d.Selected[resource]; twice {
		d.Faults.Add(path, "the resource is named twice")
	}
	if d.Selected == nil {
		d.Selected = map[string]string{}
	}
	d.Selected[resource] = instance
}

// request applies the mode and the rules between members.
func (d *draft) request() (Request, error) {
	if d.hasEnd && d.hasDu {
		d.Faults.Add("$.end", "end and duration cannot both be given")
	}
	d.AsPossible = d.AsPossible || d.mode == WhenPossible
	d.Preemption = d.Preemption || d.mode == Preempted
	return d.Request, d.Faults.Err()
}
