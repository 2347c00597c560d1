package ui

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/digest"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/schedule"
	"oc-scheduler/store/workflow"
)

// Wish is a Question with what is asked for beside it when something is to be booked or held.
type Wish struct {
	Question
	Typed url.Values     // as the form was filled in
	more  map[string]any // the members of a request's body beside those of the question
}

// wishes are how the fields of a form that a question lacks become members of a request's body.
var wishes = map[string]func(text string) any{
	"cron": verbatim, "time_zone": verbatim, "until": verbatim, "overlap": verbatim,
	"count": number, "ttl_s": number, "preemptible": yes,
}

func verbatim(text string) any { return text }

// number is text where it is none: the request's reader says what is wrong with it.
func number(text string) any {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return text
}

func yes(text string) any { return text == "true" }

// ReadWish reads the fields of a form. The error is a fault.List.
func ReadWish(form url.Values) (w Wish, err error) {
	w.Typed = form
	names := make([]string, 0, len(wishes))
	for name := range wishes {
		names = append(names, name)
	}
	form, unclear := expressed(form)
	w.Question, err = ReadQuestion(form, names...)
	w.more = map[string]any{}
	for name, member := range wishes {
		if text := w.Values.Get(name); text != "" {
			w.more[name] = member(text)
		}
	}
	return w, fault.All(err, unclear)
}

// Of is the wish about a workflow: see Question.Of.
func (w Wish) Of(of *workflow.Workflow) Wish {
	w.Question = w.Question.Of(of)
	return w
}

// recurs says whether it is about a wish that comes again and again.
func (w Wish) recurs() bool {
	return w.Values.Has("cron") || w.Typed.Has("repeat") || w.Typed.Has("cron")
}

// Now is the wish for as long, as soon as it is asked for.
func (w Wish) Now() Wish {
	if !w.End.IsZero() {
		w.Duration = w.End.Sub(w.Start)
	}
	w.Start, w.End = time.Time{}, time.Time{}
	return w
}

// Mark names what is wished, in whatever words that is: a form bears that of what was checked.
func (w Wish) Mark() string {
	q := w.Question
	if !q.Start.IsZero() && !q.End.IsZero() {
		q.Duration, q.End = q.End.Sub(q.Start), time.Time{}
	}
	q.Start = q.Start.UTC()
	texts := []string{q.JSON()}
	for _, name := range slices.Sorted(maps.Keys(w.more)) {
		text := fmt.Sprint(w.more[name])
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			text = iso(t)
		}
		if name != holdFor {
			texts = append(texts, name, text)
		}
	}
	return digest.Name(texts...)
}

// Request is the wish as a request's body is read. The error is a fault.List.
func (w Wish) Request(kind schedule.Body) (schedule.Request, error) {
	doc := map[string]any{}
	if err := json.Unmarshal([]byte(w.JSON()), &doc); err != nil {
		return schedule.Request{}, err
	}
	maps.Copy(doc, w.more)
	if kind != schedule.HoldBody { // the page has one form for all
		delete(doc, holdFor)
	}
	body, err := json.Marshal(doc)
	if err != nil {
		return schedule.Request{}, err
	}
	return schedule.DecodeRequest(body, kind)
}

// wished reads a form's wish about the workflow in the address, if that is there for who asks.
func (s *Site) wished(c echo.Context, p *Parts, f form) (workflowID string, w Wish, err error) {
	if workflowID, err = pathID(c); err != nil {
		return workflowID, w, err
	}
	of, err := s.known(c, p, workflowID)
	if err != nil {
		return workflowID, w, err
	}
	w, err = ReadWish(f.Values)
	return workflowID, w.Of(of), err
}
