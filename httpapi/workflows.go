package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/workflow"
)

func (s *Server) getWorkflow(c echo.Context) error {
	parts, workflowID, err := s.addressed(c)
	if err != nil {
		return err
	}
	entry, ok := parts.Workflows.Get(workflowID)
	if !ok {
		return absent(parts.Workflows, errNoWorkflow)
	}
	setAge(c, parts.Workflows.Age())
	if done, err := tagged(c, revisionTag(entry.Revision)); done || err != nil {
		return err
	}
	return c.JSONBlob(http.StatusOK, entry.Value.Raw)
}

// workflowList shows workflows as they were written, by id.
var workflowList = listing[store.WorkflowRecord, json.RawMessage]{
	view:  func(p *Parts) *store.View[store.WorkflowRecord] { return p.Workflows },
	show:  func(item store.Item[store.WorkflowRecord]) json.RawMessage { return item.Value.Raw },
	bytes: func(raw json.RawMessage) int { return len(raw) },
}

// putWorkflow does what CREATE_RESOURCE does on the bus.
func (s *Server) putWorkflow(c echo.Context) error {
	parts, workflowID, err := s.addressed(c)
	if err != nil {
		return err
	}
	raw, err := s.body(c)
	if err != nil {
		return err
	}
	w, err := decodeWorkflow(workflowID, raw)
	if err != nil {
		return err
	}
	cond, err := condition(c.Request().Header, parts, workflowID)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	revision, created, err := parts.Editor.PutWorkflow(ctx, w, raw, cond)
	if err != nil {
		return ofWrite(err)
	}
	shown(ctx, parts.Workflows, workflowID, func(now uint64) bool { return now >= revision })
	c.Response().Header().Set("ETag", revisionTag(revision))
	if !created {
		return c.JSONBlob(http.StatusOK, raw)
	}
	c.Response().Header().Set(echo.HeaderLocation, c.Request().URL.EscapedPath())
	return c.JSONBlob(http.StatusCreated, raw)
}

// decodeWorkflow reads the workflow of a path. The errors are a *Problem of status 400 and a
// fault.List.
func decodeWorkflow(workflowID string, raw []byte) (*workflow.Workflow, error) {
	if !json.Valid(raw) {
		return nil, newProblem(http.StatusBadRequest, "the body is not JSON")
	}
	w, err := workflow.Decode(raw)
	if err == nil && w.ID() != workflowID {
		err = fault.List{{Path: fault.Member(fault.Root, "id"), Message: "must be the id in the path"}}
	}
	return w, err
}

func (s *Server) deleteWorkflow(c echo.Context) error {
	parts, workflowID, err := s.addressed(c)
	if err != nil {
		return err
	}
	cond, err := condition(c.Request().Header, parts, workflowID)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	err = parts.Editor.DeleteWorkflow(ctx, workflowID, cond)
	if errors.Is(err, store.ErrNotFound) {
		return errNoWorkflow
	}
	if err != nil {
		return ofWrite(err)
	}
	shown(ctx, parts.Workflows, workflowID, func(now uint64) bool { return now == 0 })
	return c.NoContent(http.StatusNoContent)
}
