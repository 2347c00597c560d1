package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
)

// Orders has nodes execute something.
type Orders interface {
	// Execute returns orchestrator.ErrUnknownNode, orchestrator.ErrNotApproved, store.ErrExists,
	// kv.ErrTooLarge, kv.ErrUndecodable of the node, or kv.ErrUnavailable, after which the node may run it.
	Execute(ctx context.Context, nodeID string, order execution.Order) (execution.Execution, error)
	// CancelExecution returns kv.ErrNotFound, kv.ErrUndecodable of the execution, and otherwise what Execute does.
	CancelExecution(ctx context.Context, executionID, reason string) error
}

// executionList shows executions as they stand, by id.
var executionList = listing[execution.Execution, execution.Execution]{
	view:  func(p *Parts) *kv.View[execution.Execution] { return p.Executions },
	sees:  seesExecution,
	show:  func(item kv.Item[execution.Execution]) execution.Execution { return forAll(item.Value) },
	bytes: func(e execution.Execution) int { return len(e.Reason) + len(strings.Join(e.Command, "")) },
	by: []narrowing[execution.Execution]{
		{name: "run", of: func(e execution.Execution) string { return e.RunID }},
		{name: "node", of: func(e execution.Execution) string { return e.NodeID }},
		{name: "state", of: func(e execution.Execution) string { return string(e.State) }, all: execution.States()},
	},
}

// seesExecution says whether an execution is there for who asks: one of a run is for those who see its workflow, one
// without is a matter of operators.
func seesExecution(parts *Parts, who *access.Subject, e execution.Execution) bool {
	return who.Everywhere() || e.RunID != "" && parts.Shows(who, e.WorkflowID)
}

// forAll leaves out the order, whose environment is the node's business, and what is known of its clock.
func forAll(e execution.Execution) execution.Execution {
	e.Order, e.Ahead, e.OverAt = nil, 0, time.Time{}
	return e
}

// StoredExecutions reads executions as they are stored.
type StoredExecutions interface {
	// Get returns kv.ErrNotFound, kv.ErrUndecodable or kv.ErrUnavailable.
	Get(ctx context.Context, executionID string) (execution.Execution, error)
}

// execution is an execution as this replica knows it, or else as it is stored: it may have been ordered
// through another replica just now. The error is a *Problem.
func (s *Server) execution(c echo.Context, parts *Parts, executionID string) (execution.Execution, error) {
	who := subjectOf(c)
	entry, known := parts.Executions.Get(executionID)
	if known && seesExecution(parts, who, entry.Value) {
		setAge(c, parts.Executions.Age())
		return entry.Value, nil
	}
	if err := checkRead(parts.Executions); err != nil {
		return entry.Value, err
	}
	e, err := lookup(c.Request().Context(), s.lookups, store.ExecutionsBucket, executionID, parts.StoredExecutions.Get)
	switch {
	case errors.Is(err, kv.ErrNotFound), !seesExecution(parts, who, e): // both take the same time
		setAge(c, parts.Executions.Age())
		return e, errNoExecution
	case err != nil:
		return e, missing("execution", executionID, store.ExecutionsBucket)
	}
	return e, nil
}

func (s *Server) getExecution(c echo.Context) error {
	parts, executionID, err := s.addressed(c)
	if err != nil {
		return err
	}
	e, err := s.execution(c, parts, executionID)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-cache")
	return c.JSON(http.StatusOK, forAll(e))
}

// postExecution has the node of the path run what the body says.
func (s *Server) postExecution(c echo.Context) error {
	parts, nodeID, err := s.addressed(c)
	if err != nil {
		return err
	}
	body, err := s.body(c)
	if err != nil {
		return err
	}
	order, err := decodeOrder(body)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	e, err := parts.Orders.Execute(ctx, nodeID, order)
	if errors.Is(err, kv.ErrUndecodable) {
		return unreadable("node", nodeID, store.NodesBucket)
	}
	if err != nil {
		return ofWrite(err)
	}
	shown(ctx, parts.Executions, e.ExecutionID, func(revision uint64) bool { return revision > 0 })
	c.Response().Header().Set(echo.HeaderLocation, "/executions/"+url.PathEscape(e.ExecutionID))
	return c.JSON(http.StatusCreated, forAll(e))
}

// postCancel has the node of an execution end it. The answer is the execution as it stands: the node
// says when it has ended.
func (s *Server) postCancel(c echo.Context) error {
	parts, executionID, err := s.addressed(c)
	if err != nil {
		return err
	}
	if !subjectOf(c).Everywhere() {
		if _, err := s.execution(c, parts, executionID); err != nil {
			return err
		}
	}
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
	err = parts.Orders.CancelExecution(ctx, executionID, reason)
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return errNoExecution
	case errors.Is(err, kv.ErrUndecodable):
		return unreadable("execution", executionID, store.ExecutionsBucket)
	case err != nil:
		return ofWrite(err)
	}
	e, err := s.execution(c, parts, executionID)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusAccepted, forAll(e))
}
