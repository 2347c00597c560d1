package httpapi

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/histories"
	"oc-scheduler/store/history"
)

// Past tells what has become of things, also of those that are there no more. Both return kv.ErrUnavailable, Last also
// kv.ErrUndecodable.
type Past interface {
	Last(ctx context.Context, kind history.Kind, of string) (histories.Last, error)
	Read(ctx context.Context, kind history.Kind, of string, after, limit int) (history.Log, error)
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
	log, err := s.pastOf(ctx, c, int(min(before, math.MaxInt32)), limit+1)
	if err != nil {
		return err
	}
	log = histories.Discreet(subjectOf(c), log)
	told := page[history.Item]{Items: log[:min(limit, len(log))]}
	if len(log) > limit {
		told.NextCursor = cursorAfter(strconv.Itoa(told.Items[limit-1].Seq))
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-cache")
	return c.JSON(http.StatusOK, told)
}

// pastOf is what follows an item in the history of the run in the path: as its record has it, which is the newest, or
// once that is gone, as it was passed on.
func (s *Server) pastOf(ctx context.Context, c echo.Context, after, limit int) (history.Log, error) {
	parts, r, err := s.runOf(ctx, c)
	if err == nil {
		parts.tellAge(c)
		log := r.History().After(after)
		return log[:min(limit, len(log))], nil
	}
	if !errors.Is(err, errNoRun) {
		return nil, err
	}
	parts, runID, err := s.addressed(c)
	if err != nil {
		return nil, err
	}
	last, err := parts.Past.Last(ctx, history.OfRun, runID)
	if err != nil {
		return nil, err
	}
	if last.Seq == 0 || !parts.Shows(subjectOf(c), last.WorkflowID) {
		return nil, errNoRun
	}
	return parts.Past.Read(ctx, history.OfRun, runID, after, limit)
}
