package ui

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

// Bookings books, and tells of it.
type Bookings interface {
	// Book returns what booking.Service does.
	Book(ctx context.Context, a booking.Asked, r schedule.Request) (schedule.Schedule, error)
	// Get returns booking.ErrNotFound or kv.ErrUnavailable; so does Cancel.
	Get(ctx context.Context, scheduleID string) (schedule.Schedule, error)
	Cancel(ctx context.Context, scheduleID, by string) error
	Schedules() *kv.View[plan.Listed]
}

// natsWithin bounds what a page waits for NATS.
const natsWithin = 5 * time.Second

// book books what the form asks, once, and shows the schedule.
func (s *Site) book(c echo.Context, p *Parts) error {
	workflowID, err := pathID(c)
	if err != nil {
		return err
	}
	w, err := s.known(c, p, workflowID)
	if err != nil {
		return err
	}
	form, err := c.FormParams()
	if err != nil {
		return echo.NewHTTPError(http.StatusBadRequest, "the form can't be read")
	}
	q, err := ReadQuestion(form)
	if err != nil {
		return err
	}
	r, err := schedule.DecodeRequest([]byte(q.Of(w).JSON()), schedule.ScheduleBody)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	made, err := p.Bookings.Book(ctx, booking.Asked{WorkflowID: workflowID, By: s.Subject(c).ID}, r)
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, address("schedules", made.ID))
}

// schedule shows what a schedule has booked.
func (s *Site) schedule(c echo.Context, p *Parts) error {
	found, err := s.found(c, p)
	if err != nil {
		return err
	}
	return s.show(c, http.StatusOK, "schedule.html", View{Title: visible(found.ID), News: address("schedules", found.ID) + "/news", Body: found})
}

func (s *Site) scheduleNews(c echo.Context, p *Parts) error {
	found, err := s.found(c, p)
	if err != nil {
		return err
	}
	return s.ScheduleNews(c, found.ID)
}

// cancel ends a schedule, and shows it again.
func (s *Site) cancel(c echo.Context, p *Parts) error {
	found, err := s.found(c, p)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	if err := p.Bookings.Cancel(ctx, found.ID, s.Subject(c).ID); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, address("schedules", found.ID))
}

// found is the schedule in the address, if its workflow is there for who asks.
func (s *Site) found(c echo.Context, p *Parts) (schedule.Schedule, error) {
	scheduleID, err := pathID(c)
	if err != nil {
		return schedule.Schedule{}, err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	found, err := p.Bookings.Get(ctx, scheduleID)
	if err != nil {
		return found, err
	}
	if _, err := s.known(c, p, found.WorkflowID); err != nil && !s.Subject(c).Everywhere() {
		return found, booking.ErrNotFound
	}
	return found, nil
}

// schedulesOf lists those of a workflow that have not ended, by id, which is the order of their making.
func (p *Parts) schedulesOf(workflowID string) (found []plan.Listed) {
	for _, l := range p.Bookings.Schedules().All() {
		if l.WorkflowID == workflowID && !l.State.Final() {
			found = append(found, l)
		}
	}
	slices.SortFunc(found, func(a, b plan.Listed) int { return strings.Compare(a.ID, b.ID) })
	return found
}
