package httpapi

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/id"
	"oc-scheduler/streams/nclprotocol"
)

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
