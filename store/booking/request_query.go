package booking

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/timetext"
)

// ParseQuery reads a request from query parameters: the member names of the JSON form, duration as
// a Go duration besides duration_s, and selected_instances=resource:instance (cut at the last
// colon), repeatable. Parameters named in skip belong to somebody else; other unknown ones, and
// repeated ones, are faults. The error is a fault.List.
func ParseQuery(query url.Values, skip ...string) (Request, error) {
	var d draft
	for _, name := range slices.Sorted(maps.Keys(query)) {
		path := fault.Member(fault.Root, name)
		values := query[name]
		switch {
		case slices.Contains(skip, name):
		case name == "selected_instances":
			for _, v := range values {
				d.selection(path, v)
			}
		case len(values) > 1:
			d.Faults.Add(path, "is given %d times", len(values))
		default:
			d.parameter(name, path, values[0])
		}
	}
	return d.request()
}

func (d *draft) parameter(name, path, value string) {
	switch name {
	case "start":
		d.start(path, value)
	case "end":
		d.end(path, value)
	case "duration_s":
		d.seconds(path, []byte(value))
	case "duration":
		length, err := timetext.Duration(value)
		if err != nil {
			d.Faults.Add(path, "must be a duration like 1h30m")
			d.hasDu = true
			return
		}
		d.length(path, length)
	case "booking_mode":
		d.bookingMode(path, value)
	case "as_possible":
		d.AsPossible = d.flag(path, value)
	case "preemption":
		d.Preemption = d.flag(path, value)
	default:
		d.Faults.Add(path, "unknown parameter")
	}
}

func (d *draft) flag(path, value string) bool {
	v, err := strconv.ParseBool(value)
	if err != nil {
		d.Faults.Add(path, "must be true or false")
	}
	return v
}

func (d *draft) selection(path, value string) {
	i := strings.LastIndexByte(value, ':')
	if i < 0 {
		d.Faults.Add(path, "must be resource:instance")
		return
	}
	d.selected(path, value[:i], value[i+1:])
}
