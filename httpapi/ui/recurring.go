package ui

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

// previewed is how many occurrences a preview shows.
const previewed = 10

// recurringPage is a wish that comes again and again, and what would become of its next occurrences.
type recurringPage struct {
	faulty
	WorkflowID string
	Wish       Wish
	Next       []preview
	Fit        int // of Next
	MayWrite   bool
}

// preview is an occurrence that may come.
type preview struct {
	Nominal time.Time // in the zone of the wish
	Answer  Answer
}

// Length is the duration that is asked for, or what was typed for it.
func (v recurringPage) Length() string {
	if v.at != nil {
		return v.Field("duration")
	}
	return v.Wish.Length()
}

// Field is the value of a field of the form, as it was typed.
func (v recurringPage) Field(name string) string { return v.Wish.Values.Get(name) }

// Carried are the fields of the wish that the form has no place for.
func (v recurringPage) Carried() (names []string) {
	for _, name := range []string{"as_possible", "preemption", "overlap"} {
		if v.Field(name) != "" {
			names = append(names, name)
		}
	}
	return names
}

// Rhythm is how often it comes, as it was chosen.
func (v recurringPage) Rhythm() Rhythm { return RhythmOf(v.Wish.Typed) }

// Reasons are why some of the next don't fit.
func (v recurringPage) Reasons() []*Reason {
	answers := make([]*Answer, len(v.Next))
	for i := range v.Next {
		answers[i] = &v.Next[i].Answer
	}
	return reasonsOf(answers...)
}

// recurring shows the form of a wish that recurs and, once that says when, what would be booked. It books nothing.
func (s *Site) recurring(c echo.Context, p *Parts) (View, error) {
	f, err := formOf(c)
	if err != nil {
		return View{}, err
	}
	workflowID, w, err := s.wished(c, p, f)
	v, err := s.recurs(c, p, workflowID, w, err)
	v.Changed = f.Changed
	return v, err
}

// recurs shows a wish that was read, or what is wrong with it.
func (s *Site) recurs(c echo.Context, p *Parts, workflowID string, w Wish, err error) (View, error) {
	if faults := fault.List(nil); err != nil && !errors.As(err, &faults) {
		return View{}, err
	}
	v := recurringPage{WorkflowID: workflowID, Wish: w, MayWrite: s.mayWrite(c)}
	if err == nil && w.Values.Get("cron") != "" {
		v.Next, err = s.preview(c, p, workflowID, w)
	}
	page := View{Template: "recurring.html", Title: "Book " + visible(workflowID) + " again and again"}
	if faults := fault.List(nil); errors.As(err, &faults) {
		v.faulty = faultsAt(faults, "repeat", "at", "weekday", "cron", "time_zone", "duration", "start", "until", "count")
		page.Status, page.Refused, page.Body = http.StatusUnprocessableEntity, faults, v
		return page, nil
	}
	if err != nil {
		return View{}, err
	}
	for _, o := range v.Next {
		if o.Answer.Status == "available" {
			v.Fit++
		}
	}
	page.Follow, page.Body = &Follow{Check: &Asked{workflowID, w.Question.Request}}, v // an open page watches the planners that a preview needs
	return page, nil
}

// preview is what a check says of each of the next occurrences. The error may be a fault.List.
func (s *Site) preview(c echo.Context, p *Parts, workflowID string, w Wish) ([]preview, error) {
	r, err := w.Request(schedule.ScheduleBody)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	items, err := p.Bookings.Preview(ctx, booking.Asked{WorkflowID: workflowID, By: s.Subject(c).ID, Who: s.Subject(c)}, r, previewed)
	if missing := (*booking.MissingError)(nil); err != nil && !errors.As(err, &missing) {
		return nil, err
	}
	next := make([]preview, len(items))
	for i, o := range items {
		next[i].Nominal = o.Nominal
		if next[i].Answer, err = ReadAnswer(o.Result.JSON()); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// Hidden are the fields of a question, as a form sends them on that has none of them.
func (q Question) Hidden() url.Values {
	values := url.Values{}
	for name, list := range q.Values {
		if name != "zoom" && name != holdFor {
			values[name] = list
		}
	}
	return values
}
