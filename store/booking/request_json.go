package booking

import (
	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/strictjson"
)

// DecodeRequest reads a request from a JSON object. It returns an error that wraps strictjson.ErrNotJSON for
// text that is not one JSON value, and a fault.List for a value that is no valid request. Unknown members are
// faults: a misspelt "start" must not quietly mean "now". A null member is an absent one.
func DecodeRequest(data []byte) (Request, error) {
	return DecodeWith(data, func(*strictjson.Reader, []byte, jsontext.Value) bool { return false })
}

// DecodeWith is DecodeRequest of a request that has more members: those that other says it has read.
func DecodeWith(data []byte, other func(r *strictjson.Reader, name []byte, value jsontext.Value) bool) (Request, error) {
	d := draft{other: other}
	if err := d.Document(data, d.member); err != nil {
		return Request{}, err
	}
	return d.request()
}

func (d *draft) member(name []byte, value jsontext.Value) {
	switch string(name) {
	case "start":
		d.text("$.start", value, d.start)
	case "end":
		d.text("$.end", value, d.end)
	case "duration_s":
		d.seconds("$.duration_s", value)
	case "booking_mode":
		d.text("$.booking_mode", value, d.bookingMode)
	case "as_possible":
		d.AsPossible = d.Bool("$.as_possible", value)
	case "preemption":
		d.Preemption = d.Bool("$.preemption", value)
	case "selected_instances":
		d.selections("$.selected_instances", value)
	default:
		if !d.other(&d.Reader, name, value) {
			d.Unknown(fault.Root, name)
		}
	}
}

func (d *draft) selections(path string, object jsontext.Value) {
	d.Object(path, object, func(name []byte, value jsontext.Value) {
		if value.Kind() == 'n' {
			return
		}
		resource := string(name)
		inner := fault.Member(path, resource)
		d.text(inner, value, func(_, instance string) { d.selected(inner, resource, instance) })
	})
}

func (d *draft) text(path string, value jsontext.Value, use func(path, text string)) {
	if text, ok := d.Text(path, value); ok {
		use(path, text)
	}
}
