package booking

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/fault"
)

// ErrNotJSON is wrapped by errors of DecodeRequest about text that is no JSON value.
var ErrNotJSON = errors.New("not JSON")

// DecodeRequest reads a request from a JSON object. It returns an error that wraps ErrNotJSON for
// text that is not one JSON value, and a fault.List for a value that is no valid request. Unknown
// members are faults: a misspelt "start" must not quietly mean "now". A null member is an absent one.
func DecodeRequest(data []byte) (Request, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	value, err := dec.ReadValue()
	value = value.Clone() // the next read reuses the buffer
	if err == nil {
		if _, err = dec.ReadToken(); err == nil {
			err = errors.New("more than one value")
		} else if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if err != nil {
		return Request{}, fmt.Errorf("%w: %w", ErrNotJSON, err)
	}
	var d draft
	d.members(value)
	return d.request()
}

func (d *draft) members(object jsontext.Value) {
	each(object, fault.Root, &d.faults, func(name string, value jsontext.Value) {
		path := fault.Member(fault.Root, name)
		switch name {
		case "start":
			d.text(path, value, d.start)
		case "end":
			d.text(path, value, d.end)
		case "duration_s":
			if value.Kind() != '0' {
				d.faults.Add(path, "must be a number of seconds")
				return
			}
			d.seconds(path, string(value))
		case "booking_mode":
			d.text(path, value, d.bookingMode)
		case "as_possible":
			d.AsPossible = d.boolean(path, value)
		case "preemption":
			d.Preemption = d.boolean(path, value)
		case "selected_instances":
			each(value, path, &d.faults, func(resource string, value jsontext.Value) {
				inner := fault.Member(path, resource)
				d.text(inner, value, func(_, instance string) { d.selected(inner, resource, instance) })
			})
		default:
			d.faults.Add(path, "unknown member")
		}
	})
}

func (d *draft) text(path string, value jsontext.Value, use func(path, text string)) {
	if value.Kind() != '"' {
		d.faults.Add(path, "must be a string")
		return
	}
	text, _ := jsontext.AppendUnquote(nil, value) // valid: the decoder has passed over it
	use(path, string(text))
}

func (d *draft) boolean(path string, value jsontext.Value) bool {
	if k := value.Kind(); k != 't' && k != 'f' {
		d.faults.Add(path, "must be true or false")
	}
	return value.Kind() == 't'
}

// each calls member for every member of a valid JSON object that is not null.
func each(object jsontext.Value, path string, faults *fault.List, member func(name string, value jsontext.Value)) {
	if object.Kind() != '{' {
		faults.Add(path, "must be an object")
		return
	}
	dec := jsontext.NewDecoder(bytes.NewReader(object))
	_, err := dec.ReadToken()
	for err == nil && dec.PeekKind() != '}' {
		var name jsontext.Token
		if name, err = dec.ReadToken(); err != nil {
			break
		}
		key := name.String()
		var value jsontext.Value
		if value, err = dec.ReadValue(); err == nil && value.Kind() != 'n' {
			member(key, value)
		}
	}
}
