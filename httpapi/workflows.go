package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/id"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/tokens"
	"oc-scheduler/store/workflow"
	"oc-scheduler/streams/check"
)

func (s *Server) getWorkflow(c echo.Context) error {
	parts, workflowID, err := s.addressed(c)
	if err != nil {
		return err
	}
	entry, err := s.workflow(c, parts, workflowID)
	if err != nil {
		return err
	}
	if done, err := tagged(c, contentTag(entry.Value.Raw)); done || err != nil {
		return err
	}
	return c.JSONBlob(http.StatusOK, entry.Value.Raw)
}

// StoredWorkflows reads workflows as they are stored.
type StoredWorkflows interface {
	// Get returns kv.ErrNotFound, kv.ErrUndecodable or kv.ErrUnavailable.
	Get(ctx context.Context, workflowID string) (kv.Entry[store.WorkflowRecord], error)
}

// workflow is a workflow as this replica knows it, or else as it is stored. The error is errNoWorkflow or
// errStarting.
func (s *Server) workflow(c echo.Context, parts *Parts, workflowID string) (kv.Entry[store.WorkflowRecord], error) {
	who := subjectOf(c)
	entry, known := parts.Workflows.Get(workflowID)
	if known && who.Sees(entry.Value.Groups()) {
		setAge(c, parts.Workflows.Age())
		return entry, nil
	}
	if err := checkRead(parts.Workflows); err != nil {
		return entry, err
	}
	entry, err := lookup(c.Request().Context(), s.lookups, store.WorkflowsBucket, workflowID, parts.StoredWorkflows.Get)
	if err != nil || !who.Sees(entry.Value.Groups()) { // both take the same time
		setAge(c, parts.Workflows.Age())
		return kv.Entry[store.WorkflowRecord]{}, errNoWorkflow
	}
	return entry, nil
}

// checkable returns when checks can be made of a workflow that is stored: when this replica knows it. The
// errors are those of workflow, and errBehind.
func (s *Server) checkable(c echo.Context, parts *Parts, workflowID string) error {
	if err := parts.Checks.Knows(subjectOf(c), workflowID); !errors.Is(err, check.ErrUnknownWorkflow) {
		return err
	}
	entry, err := s.workflow(c, parts, workflowID)
	if err != nil {
		return err
	}
	shown(c.Request().Context(), parts.Workflows, workflowID, func(now uint64) bool { return now >= entry.Revision })
	if parts.Checks.Knows(subjectOf(c), workflowID) != nil {
		return errBehind
	}
	return nil
}

// workflowList shows workflows as they were written, by id.
var workflowList = listing[store.WorkflowRecord, json.RawMessage]{
	view:  func(p *Parts) *kv.View[store.WorkflowRecord] { return p.Workflows },
	sees:  func(_ *Parts, who *access.Subject, w store.WorkflowRecord) bool { return who.Sees(w.Groups()) },
	show:  func(item kv.Item[store.WorkflowRecord]) json.RawMessage { return item.Value.Raw },
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
	author, err := authorOf(c)
	if err != nil {
		return err
	}
	cond, err := condition(c, parts, workflowID)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	revision, stored, created, err := parts.Editor.PutWorkflow(ctx, w, raw, author, cond)
	if errors.Is(err, kv.ErrNotFound) {
		return errNoWorkflow
	}
	if err != nil {
		return ofWrite(err)
	}
	shown(ctx, parts.Workflows, workflowID, func(now uint64) bool { return now >= revision })
	c.Response().Header().Set("ETag", contentTag(stored))
	if !created {
		return c.JSONBlob(http.StatusOK, stored)
	}
	c.Response().Header().Set(echo.HeaderLocation, c.Request().URL.EscapedPath())
	return c.JSONBlob(http.StatusCreated, stored)
}

// authorOf is who writes a workflow: it belongs to his groups, or to those of them that ?group= names; without
// that, one that stands keeps its own. The error is a fault.List, or a *Problem of status 403.
func authorOf(c echo.Context) (store.Author, error) {
	who := subjectOf(c)
	q := readQuery(c.Request(), groupParameter)
	names := q.values[groupParameter]
	if len(names) > tokens.MaxGroups {
		q.fault(groupParameter, "may be given %d times", tokens.MaxGroups)
	}
	for _, name := range names {
		if err := id.Check(name); err != nil {
			q.fault(groupParameter, "%v", err)
		}
	}
	if err := q.faults.Err(); err != nil {
		return store.Author{}, err
	}
	if i := slices.IndexFunc(names, func(name string) bool { return !who.MayGive(name) }); i >= 0 {
		return store.Author{}, newProblem(http.StatusForbidden, "you are not in the group %.128q", names[i])
	}
	if names == nil {
		return store.Author{Subject: who, Groups: who.Groups, Keep: true}, nil
	}
	return store.Author{Subject: who, Groups: access.GroupsOf(names)}, nil
}

// groupParameter names a group that a workflow shall belong to.
const groupParameter = "group"

// decodeWorkflow reads the workflow of a path. The errors are a *Problem of status 400 and a
// fault.List.
func decodeWorkflow(workflowID string, raw []byte) (*workflow.Workflow, error) {
	if !json.Valid(raw) {
		return nil, newProblem(http.StatusBadRequest, "the body is not JSON")
	}
	return workflow.DecodeAs(workflowID, raw)
}

func (s *Server) deleteWorkflow(c echo.Context) error {
	parts, workflowID, err := s.addressed(c)
	if err != nil {
		return err
	}
	cond, err := condition(c, parts, workflowID)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	err = parts.Editor.DeleteWorkflow(ctx, workflowID, subjectOf(c), cond)
	if errors.Is(err, kv.ErrNotFound) {
		return errNoWorkflow
	}
	if err != nil {
		return ofWrite(err)
	}
	shown(ctx, parts.Workflows, workflowID, func(now uint64) bool { return now == 0 })
	return c.NoContent(http.StatusNoContent)
}
