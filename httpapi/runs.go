package httpapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/access"
	"oc-scheduler/store/id"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/run"
)

// Runs tells of runs, and has things happen to them. It needs NATS.
type Runs interface {
	// Get returns kv.ErrNotFound, kv.ErrUndecodable or kv.ErrUnavailable; so does Happen.
	Get(ctx context.Context, runID string) (run.Record, error)
	Happen(ctx context.Context, runID string, what run.Event) error
}

var errNoRun = newProblem(http.StatusNotFound, "no such run")

// runRoutes are those of runs.
func (s *Server) runRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{get, "/runs", access.Read, s.listRuns},
		{get, "/runs/:id", access.Read, s.getRun},
		{get, "/runs/:id/history", access.Read, s.getHistory},
		{post, "/runs/:id/cancel", access.Write, s.cancelRun},
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
	case err == nil && !parts.sees(subjectOf(c), r.WorkflowID), errors.Is(err, kv.ErrUndecodable):
		return nil, r, errNoRun
	}
	return parts, r, err
}

func (s *Server) getRun(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	_, r, err := s.runOf(ctx, c)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-cache")
	return c.JSON(http.StatusOK, r.Run)
}

// getHistory answers with a page of the transitions of a run and its steps. A cursor is the number of the last one
// before: they have no gaps, and none is ever taken back.
func (s *Server) getHistory(c echo.Context) error {
	q := readQuery(c.Request(), "limit", "cursor")
	after, limit, err := q.paged()
	before, ok := wholeNumber(cmp.Or(after, "0"))
	if err == nil && !ok {
		q.fault("cursor", "must be the next_cursor of an earlier page")
		err = q.faults.Err()
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	_, r, err := s.runOf(ctx, c)
	if err != nil {
		return err
	}
	log := r.Work.Log[min(before, uint64(len(r.Work.Log))):]
	told := page[run.Item]{Items: log[:min(limit, len(log))]}
	if len(log) > limit {
		told.NextCursor = cursorAfter(strconv.Itoa(told.Items[limit-1].Seq))
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-cache")
	return c.JSON(http.StatusOK, told)
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
