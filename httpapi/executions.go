package httpapi

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store"
	"oc-scheduler/store/booking"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/id"
	"oc-scheduler/streams/nclprotocol"
)

// Orders has nodes run something.
type Orders interface {
	// RunExecution returns orchestrator.ErrUnknownNode, orchestrator.ErrNotApproved, store.ErrExists,
	// store.ErrTooLarge, or store.ErrUnavailable, after which the node may run it.
	RunExecution(ctx context.Context, nodeID string, order nclprotocol.RunExecution) (booking.Execution, error)
	// CancelExecution returns store.ErrNotFound, and otherwise what RunExecution does.
	CancelExecution(ctx context.Context, executionID, reason string) error
}

// executionList shows executions as they stand, by id.
var executionList = listing[booking.Execution, booking.Execution]{
	view: func(p *Parts) *store.View[booking.Execution] { return p.Executions },
	show: func(item store.Item[booking.Execution]) booking.Execution { return item.Value },
}

// StoredExecutions reads executions as they are stored.
type StoredExecutions interface {
	// Get returns store.ErrNotFound, store.ErrUndecodable or store.ErrUnavailable.
	Get(ctx context.Context, executionID string) (booking.Execution, error)
}

// execution is an execution as this replica knows it, or else as it is stored: it may have been ordered
// through another replica just now.
func (p *Parts) execution(ctx context.Context, executionID string) (booking.Execution, error) {
	entry, known := p.Executions.Get(executionID)
	if known {
		return entry.Value, nil
	}
	ctx, cancel := context.WithTimeout(ctx, natsWithin)
	defer cancel()
	e, err := p.StoredExecutions.Get(ctx, executionID)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrUndecodable) {
		return e, errNoExecution
	}
	return e, err
}

func (s *Server) getExecution(c echo.Context) error {
	parts, executionID, err := s.addressed(c)
	if err != nil {
		return err
	}
	e, err := parts.execution(c.Request().Context(), executionID)
	if err != nil {
		return err
	}
	setAge(c, parts.Executions.Age())
	c.Response().Header().Set(echo.HeaderCacheControl, "no-cache")
	return c.JSON(http.StatusOK, e)
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
	e, err := parts.Orders.RunExecution(ctx, nodeID, order)
	if err != nil {
		return ofWrite(err)
	}
	shown(ctx, parts.Executions, e.ExecutionID, func(revision uint64) bool { return revision > 0 })
	c.Response().Header().Set(echo.HeaderLocation, "/executions/"+url.PathEscape(e.ExecutionID))
	return c.JSON(http.StatusCreated, e)
}

// decodeOrder reads an order; one without an id is given one. The errors are a *Problem of status 400
// and a fault.List.
func decodeOrder(body []byte) (order nclprotocol.RunExecution, err error) {
	if !json.Valid(body) {
		return order, newProblem(http.StatusBadRequest, "the body is not JSON")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(&order); err != nil {
		path, message := fault.Root, strings.TrimPrefix(err.Error(), "json: ")
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			message = "must not be " + wrong.Value
			if wrong.Field != "" {
				path = fault.Member(path, wrong.Field)
			}
		}
		return order, fault.List{{Path: path, Message: message}}
	}
	if order.ExecutionID == "" {
		order.ExecutionID = "x-" + strings.ToLower(rand.Text()[:16])
	}
	return order, orderFaults(order)
}

func orderFaults(order nclprotocol.RunExecution) error {
	var faults fault.List
	add := func(wrong bool, member, format string, args ...any) {
		if wrong {
			faults.Add(fault.Member(fault.Root, member), format, args...)
		}
	}
	err := id.Check(order.ExecutionID)
	add(err != nil, "execution_id", "%v", err)
	for _, other := range []struct{ member, value string }{{"booking_id", order.BookingID}, {"workflow_id", order.WorkflowID}} {
		err := id.Check(other.value)
		add(err != nil && other.value != "", other.member, "%v", err)
	}
	add(len(order.Command) == 0 && order.Duration <= 0, "command", "is missing; a duration_s may stand in for it on a node that only sleeps")
	add(len(order.Command) > 0 && order.Command[0] == "", "command", "begins with the name of a program")
	add(order.Duration < 0, "duration_s", "must not be below zero")
	add(order.Timeout < 0, "timeout_s", "must not be below zero")
	return faults.Err()
}

// postCancel has the node of an execution end it. The answer is the execution as it stands: the node
// says when it has ended.
func (s *Server) postCancel(c echo.Context) error {
	parts, executionID, err := s.addressed(c)
	if err != nil {
		return err
	}
	body, err := s.body(c)
	if err != nil {
		return err
	}
	var cancelled struct {
		Reason string `json:"reason"`
	}
	if len(body) > 0 && json.Unmarshal(body, &cancelled) != nil {
		return newProblem(http.StatusBadRequest, "the body is not a JSON object with a reason")
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	err = parts.Orders.CancelExecution(ctx, executionID, cancelled.Reason)
	if errors.Is(err, store.ErrNotFound) {
		return errNoExecution
	}
	if err != nil {
		return ofWrite(err)
	}
	e, err := parts.execution(ctx, executionID)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusAccepted, e)
}
