package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/access"
	"oc-scheduler/store/id"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

// Runs tells of runs, and has things happen to them. It needs NATS.
type Runs interface {
	// Get returns kv.ErrNotFound, kv.ErrUndecodable or kv.ErrUnavailable; so does Happen.
	Get(ctx context.Context, runID string) (run.Record, error)
	Happen(ctx context.Context, runID string, what run.Event) error
	// CancelOf cancels the runs of a schedule that have not begun, or all that are not over. It fails as Get does.
	CancelOf(ctx context.Context, scheduleID string, why run.Cancel, begun bool) error
	// Start makes the run of a schedule of one occurrence, unless there is one. It fails as Get does.
	Start(ctx context.Context, scheduleID string) (run.Record, error)
}

var errNoRun = newProblem(http.StatusNotFound, "no such run")

// runRoutes are those of runs.
func (s *Server) runRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{post, "/oc/:id/runs", access.Write, s.once(s.ofWorkflow, readsWish(schedule.RunBody), s.postRun)},
		{get, "/runs", access.Read, s.listRuns},
		{get, "/runs/:id", access.Read, s.getRun},
		{get, "/runs/:id/history", access.Read, s.getHistory},
		{get, "/runs/:id/events", access.Read, s.runEvents},
		{post, "/runs/:id/cancel", access.Write, s.once(s.ofRun, readsReason, s.cancelRun)},
	}
}

// runOf is what is served, and the run in the path as it is stored, if its workflow is there for who asks.
func (s *Server) runOf(ctx context.Context, c echo.Context) (*Parts, run.Record, error) {
	parts, runID, err := s.addressed(c)
	if err != nil {
		return nil, run.Record{}, err
	}
	r, err := parts.Runs.Get(ctx, runID)
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return nil, r, errNoRun
	case errors.Is(err, kv.ErrUndecodable) && subjectOf(c).Everywhere():
		return nil, r, newProblem(http.StatusNotFound, "the stored record of run %s cannot be read; nats kv get %s run.%s", runID, plan.Bucket, id.Key(runID))
	case err == nil && !parts.Shows(subjectOf(c), r.WorkflowID), errors.Is(err, kv.ErrUndecodable):
		return nil, r, errNoRun
	}
	return parts, r, err
}

// postRun books a workflow once, and makes the run of it.
func (s *Server) postRun(c echo.Context) error {
	made, err := booked(s, c, schedule.RunBody, func(b Bookings, ctx context.Context, a booking.Asked, r schedule.Request) (run.Record, error) {
		parts, err := s.loaded()
		if err != nil {
			return run.Record{}, err
		}
		booked, err := b.Book(ctx, a, r)
		if err != nil {
			return run.Record{}, err
		}
		started, err := parts.Runs.Start(ctx, booked.ID)
		if err == nil {
			shown(ctx, parts.Plan.Runs(), started.ID, func(revision uint64) bool { return revision > 0 })
		}
		return started, err
	})
	if errors.Is(err, kv.ErrNotFound) {
		return errNoRun
	}
	if err != nil {
		return err
	}
	return created(c, "/runs/"+made.ID, made.Run)
}

func (s *Server) getRun(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	parts, r, err := s.runOf(ctx, c)
	if err != nil {
		return err
	}
	parts.tellAge(c)
	c.Response().Header().Set(echo.HeaderCacheControl, "no-cache")
	return c.JSON(http.StatusOK, r.Run)
}

// cancelRun has a run end, whatever it is at. The answer is the run as it stands: what nodes execute has ended when
// they say so. One that is over stays as it is.
func (s *Server) cancelRun(c echo.Context) error {
	body, err := s.body(c)
	if err != nil {
		return err
	}
	reason, err := decodeReason(body)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	parts, r, err := s.runOf(ctx, c)
	if err != nil {
		return err
	}
	if err := parts.Runs.Happen(ctx, r.ID, run.Cancel{By: subjectOf(c).ID, Reason: reason}); err != nil {
		return ofWrite(err)
	}
	if _, r, err = s.runOf(ctx, c); err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	return c.JSON(http.StatusAccepted, r.Run)
}
