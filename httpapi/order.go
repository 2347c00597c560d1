package httpapi

import (
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/execution"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/strictjson"
)

// order is the body of an order as it is read.
type order struct {
	strictjson.Reader
	execution.Order
	hasCommand bool
}

// decodeOrder reads an order; one without an id is given one. The error wraps strictjson.ErrNotJSON, or is a
// fault.List.
func decodeOrder(body []byte) (execution.Order, error) {
	o := order{Order: execution.Order{ExecutionID: "x-" + strings.ToLower(rand.Text()[:16])}}
	if err := o.Document(body, o.member); err != nil {
		return o.Order, err
	}
	if !o.hasCommand && o.Duration == 0 && !o.isNamed(fault.Root) && !o.isNamed("$.duration_s") {
		o.Faults.Add("$.command", "is missing; a duration_s may stand in for it on a node that only sleeps")
	}
	return o.Order, o.Faults.Err()
}

// isNamed says whether the value of a path is what is wrong.
func (o *order) isNamed(path string) bool {
	return slices.ContainsFunc(o.Faults, func(f fault.Fault) bool { return f.Path == path })
}

func (o *order) member(name []byte, value jsontext.Value) {
	switch string(name) {
	case "execution_id":
		o.ExecutionID = identifier(&o.Reader, "$.execution_id", value)
	case "booking_id":
		o.BookingID = identifier(&o.Reader, "$.booking_id", value)
	case "workflow_id":
		o.WorkflowID = identifier(&o.Reader, "$.workflow_id", value)
	case "command":
		o.words(value)
	case "env":
		o.variables(value)
	case "duration_s":
		o.Duration = o.length("$.duration_s", value)
	case "timeout_s":
		o.Timeout = o.length("$.timeout_s", value)
	default:
		o.Unknown(fault.Root, name)
	}
}

func (o *order) words(list jsontext.Value) {
	o.hasCommand = true
	o.List("$.command", list, func(path string, value jsontext.Value) { o.Command = append(o.Command, o.plain(path, value)) })
	if list.Kind() == '[' && (len(o.Command) == 0 || o.Command[0] == "") && !o.isNamed("$.command[0]") {
		o.Faults.Add("$.command", "begins with the name of a program")
	}
}

func (o *order) variables(object jsontext.Value) {
	o.Env = map[string]string{}
	o.Object("$.env", object, func(name []byte, value jsontext.Value) {
		o.Env[string(name)] = o.plain(fault.Member("$.env", string(name)), value)
	})
}

// plain is text that a program can be given.
func (o *order) plain(path string, value jsontext.Value) string {
	text, _ := o.Text(path, value)
	if strings.ContainsRune(text, 0) {
		o.Faults.Add(path, "holds a zero byte")
	}
	return text
}

func (o *order) length(path string, value jsontext.Value) time.Duration {
	length, ok := o.Seconds(path, value)
	if ok && length < 0 {
		o.Faults.Add(path, "must not be below zero")
	}
	return length
}
