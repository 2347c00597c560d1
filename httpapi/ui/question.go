package ui

import (
	"encoding/json"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/workflow"
)

// Question is what the address of a workflow's page asks, in the check's own names, and how much time its
// timeline shows.
type Question struct {
	booking.Request
	Values url.Values // as they stand in the address, cleaned
	Zoom   Zoom
}

// holdFor is the field of the form that holds; the address keeps what was typed there.
const holdFor = "ttl_s"

// Zoom is how much time a timeline shows.
type Zoom string

// Zooms are the lengths of time that a timeline can show, shortest first.
var Zooms = []Zoom{"hour", "day", "week", "month", "year"}

func (z Zoom) length() time.Duration {
	switch z {
	case "hour":
		return time.Hour
	case "week":
		return 7 * 24 * time.Hour
	case "month":
		return 31 * 24 * time.Hour
	case "year":
		return 366 * 24 * time.Hour
	}
	return 24 * time.Hour
}

// grid is to what a window is moved by hand: it can still be told apart.
func (z Zoom) grid() time.Duration {
	switch z {
	case "hour":
		return time.Minute
	case "week":
		return time.Hour
	case "month":
		return 6 * time.Hour
	case "year":
		return 24 * time.Hour
	}
	return 15 * time.Minute
}

// fits is the shortest zoom in which a window takes no more than half.
func fits(window time.Duration) Zoom {
	for _, z := range Zooms {
		if window <= z.length()/2 {
			return z
		}
	}
	return Zooms[len(Zooms)-1]
}

// bareTime is what a browser's field for times sends: a time without a zone, and often without seconds.
var bareTime = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$`)

// ReadQuestion reads the query of a workflow's page. Empty fields of a form count as absent, and times
// without a zone are UTC. also names fields that the question leaves to others. The error is a fault.List.
func ReadQuestion(query url.Values, also ...string) (q Question, err error) {
	q.Values = url.Values{}
	for name, values := range query {
		for _, v := range values {
			switch parts := bareTime.FindStringSubmatch(v); {
			case v == "":
				continue
			case isTime(name) && parts != nil && parts[1] == "":
				v += ":00Z"
			case isTime(name) && parts != nil:
				v += "Z"
			}
			q.Values.Add(name, v)
		}
	}
	q.Request, err = booking.ParseQuery(q.Values, append(also, "zoom")...)
	q.Zoom = Zoom(q.Values.Get("zoom"))
	if q.Zoom == "" || slices.Contains(Zooms, q.Zoom) {
		return q, err
	}
	q.Zoom = ""
	var faults fault.List
	errors.As(err, &faults)
	faults.Add("$.zoom", "must be one of %v", Zooms)
	return q, faults
}

func isTime(name string) bool { return name == "start" || name == "end" || name == "until" }

// Of is the question about a workflow: where neither says how long it lasts, it is about an hour.
func (q Question) Of(w *workflow.Workflow) Question {
	if _, lasts := w.Duration(); !lasts && q.Duration == 0 && q.End.IsZero() {
		q.Duration = usualLength
	}
	return q
}

// Length is the duration as people write it; empty: none is asked for.
func (q Question) Length() string {
	length := q.Duration
	if length == 0 && !q.End.IsZero() && !q.Start.IsZero() {
		length = q.End.Sub(q.Start)
	}
	return lengthOf(length)
}

// lengthOf is a duration as people write it; empty: there is none.
func lengthOf(length time.Duration) string {
	if length == 0 {
		return ""
	}
	text := length.String()
	if short, whole := strings.CutSuffix(text, "m0s"); whole {
		text = short + "m"
	}
	if short, whole := strings.CutSuffix(text, "h0m"); whole {
		text = short + "h"
	}
	return text
}

// usualLength is that of a window when nobody gives any.
const usualLength = time.Hour

// zoom is how much is shown around an answer, also where nobody says.
func (q Question) zoom(a *Answer) Zoom {
	if q.Zoom == "" {
		return fits(a.End.Sub(a.Start))
	}
	return q.Zoom
}

// Stretch is what the timeline shows around a window: an eighth of it before, the rest from its start on.
func (q Question) Stretch(a *Answer) Stretch {
	z := q.zoom(a)
	from := a.Start.Add(-z.length() / 8)
	return Stretch{from, from.Add(z.length())}
}

// JSON is the question as a message on a check stream.
func (q Question) JSON() string {
	doc := struct {
		Start      *time.Time        `json:"start,omitempty"`
		End        *time.Time        `json:"end,omitempty"`
		Duration   float64           `json:"duration_s,omitempty"`
		AsPossible bool              `json:"as_possible,omitempty"`
		Preemption bool              `json:"preemption,omitempty"`
		Selected   map[string]string `json:"selected_instances,omitempty"`
	}{known(q.Start), known(q.End), q.Duration.Seconds(), q.AsPossible, q.Preemption, q.Selected}
	text, err := json.Marshal(doc)
	if err != nil { // of times, numbers and strings
		panic(err)
	}
	return string(text)
}

func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// With is the address's query with one value replaced, for links.
func (q Question) With(name, value string) string {
	values := url.Values{}
	for k, v := range q.Values {
		if k != name {
			values[k] = v
		}
	}
	values.Set(name, value)
	return "?" + values.Encode()
}
