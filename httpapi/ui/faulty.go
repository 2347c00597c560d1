package ui

import (
	"html/template"
	"slices"
	"strings"
	"time"

	"oc-scheduler/store/fault"
)

// faulty is what is wrong with a form, each fault at its field. The zero value is a form with nothing wrong.
type faulty struct {
	at     map[string]*fieldFault
	first  string     // of the fields
	Others fault.List // of no field of the form
}

// fieldFault is what is wrong with a field.
type fieldFault struct{ ID, Words string }

// faultsAt lays faults to the fields of a form, which are named in their order. What is wrong with the whole is so with
// the first.
func faultsAt(faults fault.List, fields ...string) faulty {
	f := faulty{at: map[string]*fieldFault{}}
	for _, one := range faults {
		name := strings.TrimSuffix(strings.TrimPrefix(one.Path, "$."), "_s")
		if one.Path == fault.Root {
			name = fields[0]
		}
		switch {
		case !slices.Contains(fields, name):
			f.Others = append(f.Others, one)
		case f.at[name] == nil:
			f.at[name] = &fieldFault{name + "-fault", one.Message}
		default:
			f.at[name].Words += "; " + one.Message
		}
	}
	if i := slices.IndexFunc(fields, func(name string) bool { return f.at[name] != nil }); i >= 0 {
		f.first = fields[i]
	}
	return f
}

// Fault is what is wrong with a field; nil: nothing is.
func (f faulty) Fault(field string) *fieldFault { return f.at[field] }

// Mark is what an element of a form says of its fault: the first one that has any gets the focus.
func (f faulty) Mark(field string) template.HTMLAttr {
	switch one := f.at[field]; {
	case one == nil:
		return ""
	case field == f.first:
		return template.HTMLAttr(`aria-invalid="true" aria-describedby="` + one.ID + `" autofocus`)
	default:
		return template.HTMLAttr(`aria-invalid="true" aria-describedby="` + one.ID + `"`)
	}
}

// timeField is a field for a time.
type timeField struct {
	Value string
	Typed bool // as it was: a browser's own field for times would not show it
}

// Time is the field of a time, in UTC.
func (q Question) Time(name string) timeField {
	typed := q.Values.Get(name)
	if typed == "" {
		return timeField{}
	}
	t, err := time.Parse(time.RFC3339, typed)
	if err != nil {
		return timeField{typed, true}
	}
	return timeField{Value: t.UTC().Format("2006-01-02T15:04:05")}
}
