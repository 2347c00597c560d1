package ui

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
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
	WorkflowID string
	Wish       Wish
	Faults     map[string]string // by the name of the field
	Others     fault.List        // of no field here
	Next       []preview
	Fit        int // of Next
	MayWrite   bool
}

// preview is an occurrence that may come.
type preview struct {
	Nominal time.Time // in the zone of the wish
	Answer  Answer
}

// Field is the value of a field of the form.
func (v recurringPage) Field(name string) string { return v.Wish.Values.Get(name) }

// Wall is a time of the form as a browser's field wants it, in UTC.
func (v recurringPage) Wall(name string) string {
	t, err := time.Parse(time.RFC3339, v.Wish.Values.Get(name))
	if err != nil {
		return ""
	}
	return wall(t)
}

// recurring shows the form of a wish that recurs and, once that says when, what would be booked. It books nothing.
func (s *Site) recurring(c echo.Context, p *Parts) (View, error) {
	workflowID, w, err := s.wished(c, p)
	if faults := fault.List(nil); err != nil && !errors.As(err, &faults) {
		return View{}, err
	}
	v := recurringPage{WorkflowID: workflowID, Wish: w, MayWrite: s.mayWrite(c)}
	if err == nil && w.Values.Get("cron") != "" {
		v.Next, err = s.preview(c, p, workflowID, w)
	}
	status := http.StatusOK
	if faults := fault.List(nil); errors.As(err, &faults) {
		status = http.StatusUnprocessableEntity
		v.Faults, v.Others = atFields(faults, wishes)
	} else if err != nil {
		return View{}, err
	}
	for _, o := range v.Next {
		if o.Answer.Status == "available" {
			v.Fit++
		}
	}
	page := View{Status: status, Template: "recurring.html", Title: "Book " + visible(workflowID) + " again and again", Body: v}
	if status == http.StatusOK { // an open page watches the planners that a preview needs
		page.Follow = &Follow{Check: &Asked{workflowID, w.Question.Request}}
	}
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

// atFields are faults by the field that they are of, and those that are of none.
func atFields[V any](faults fault.List, fields map[string]V) (at map[string]string, others fault.List) {
	at = map[string]string{}
	for _, f := range faults {
		name := strings.TrimPrefix(f.Path, "$.")
		if _, is := fields[name]; is || name == "start" || name == "duration" || name == "duration_s" {
			at[strings.TrimSuffix(name, "_s")] = f.Message
			continue
		}
		others = append(others, f)
	}
	return at, others
}

// wall is a time in UTC as a browser's field for times wants it.
func wall(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05") }

// Hidden are the fields of a question, as a form sends them on.
func (q Question) Hidden() url.Values {
	values := url.Values{}
	for name, list := range q.Values {
		if name != "zoom" {
			values[name] = list
		}
	}
	return values
}
