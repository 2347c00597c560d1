package booking

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/fault"
)

// ErrNotJSON is wrapped by errors of DecodeRequest about text that is no JSON value.
var ErrNotJSON = errors.New("not JSON")

// DecodeRequest reads a request from a JSON object. It returns an error that wraps ErrNotJSON for
// text that is not one JSON value, and a fault.List for a value that is no valid request. Unknown
// members are faults: a misspelt "start" must not quietly mean "now". A null member is an absent one.
func DecodeRequest(data []byte) (Request, error) {
	if !jsontext.Value(data).IsValid() {
		return Request{}, fmt.Errorf("%w: %w", ErrNotJSON, syntaxError(data))
	}
	var d draft
	value, _ := cut(data)
	d.members(value)
	return d.request()
}

// syntaxError says why data is not one JSON value.
func syntaxError(data []byte) error {
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	_, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if _, err = dec.ReadToken(); err == nil {
		err = errors.New("more than one value")
	}
	return err
}

func (d *draft) members(object jsontext.Value) {
	d.each("$", object, func(name []byte, value jsontext.Value) {
		switch string(name) {
		case "start":
			d.text("$.start", value, d.start)
		case "end":
			d.text("$.end", value, d.end)
		case "duration_s":
			d.number("$.duration_s", value)
		case "booking_mode":
			d.text("$.booking_mode", value, d.bookingMode)
		case "as_possible":
			d.AsPossible = d.boolean("$.as_possible", value)
		case "preemption":
			d.Preemption = d.boolean("$.preemption", value)
		case "selected_instances":
			d.selections("$.selected_instances", value)
		default:
			d.faults.Add(fault.Member(fault.Root, string(name)), "unknown member")
		}
	})
}

func (d *draft) selections(path string, object jsontext.Value) {
	d.each(path, object, func(name []byte, value jsontext.Value) {
		resource := string(name)
		inner := fault.Member(path, resource)
		d.text(inner, value, func(_, instance string) { d.selected(inner, resource, instance) })
	})
}

func (d *draft) text(path string, value jsontext.Value, use func(path, text string)) {
	if value.Kind() != '"' {
		d.faults.Add(path, "must be a string")
		return
	}
	use(path, string(unquote(value)))
}

func (d *draft) number(path string, value jsontext.Value) {
	if value.Kind() != '0' {
		d.faults.Add(path, "must be a number of seconds")
		return
	}
	d.seconds(path, string(value))
}

func (d *draft) boolean(path string, value jsontext.Value) bool {
	if k := value.Kind(); k != 't' && k != 'f' {
		d.faults.Add(path, "must be true or false")
	}
	return value.Kind() == 't'
}

// each calls member for every member of a valid JSON object that is not null.
func (d *draft) each(path string, object jsontext.Value, member func(name []byte, value jsontext.Value)) {
	if object.Kind() != '{' {
		d.faults.Add(path, "must be an object")
		return
	}
	for rest := object[1:]; ; {
		var name, value jsontext.Value
		if name, rest = cut(rest); len(name) == 0 {
			return
		}
		if value, rest = cut(rest); value.Kind() != 'n' {
			member(unquote(name), value)
		}
	}
}
