package booking

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"
)

// JSON is the result as clients receive it: what encoding/json makes of it, at a third of the cost.
func (r *Result) JSON() []byte {
	b := make([]byte, 0, 1024) // on the stack
	b = appendMember(b, `{"type":`, r.Type)
	b = appendMember(b, `,"workflow_id":`, r.WorkflowID)
	b = appendMember(b, `,"version":`, r.Version)
	b = appendMember(b, `,"status":`, string(r.Status))
	b = appendBool(b, `,"available":`, r.Available)
	b = appendBool(b, `,"preemptible":`, r.Preemptible)
	b = appendSpan(b, `,"start":`, r.Start, r.End)
	b = append(b, `,"next_slot":`...)
	if r.NextSlot != nil {
		b = append(appendSpan(b, `{"start":`, r.NextSlot.Start, r.NextSlot.End), '}')
	} else {
		b = append(b, "null"...)
	}
	b = appendList(b, `,"resources":`, r.Resources, appendResource)
	b = appendList(b, `,"missing_planners":`, r.MissingPlanners, appendQuoted)
	b = appendList(b, `,"warnings":`, r.Warnings, appendQuoted)
	b = appendTime(b, `,"computed_at":`, r.ComputedAt)
	return bytes.Clone(append(b, '}'))
}

func appendResource(b []byte, r Resource) []byte {
	b = appendMember(b, `{"item_id":`, r.ItemID)
	b = appendMember(b, `,"kind":`, string(r.Kind))
	b = appendMember(b, `,"resource_id":`, r.ResourceID)
	b = appendMember(b, `,"peer_id":`, r.PeerID)
	if r.InstanceID != nil {
		b = appendMember(b, `,"instance_id":`, *r.InstanceID)
	} else {
		b = append(b, `,"instance_id":null`...)
	}
	b = appendSpan(b, `,"start":`, r.Start, r.End)
	b = appendMember(b, `,"status":`, string(r.Status))
	return append(appendList(b, `,"conflicts":`, r.Conflicts, appendConflict), '}')
}

func appendConflict(b []byte, c Conflict) []byte {
	b = appendSpan(b, `{"start":`, c.Start, c.End)
	b = appendMember(b, `,"dimension":`, c.Dimension)
	b = c.Requested.AppendText(append(b, `,"requested":`...))
	b = c.Free.AppendText(append(b, `,"free":`...))
	return append(appendList(b, `,"by":`, c.By, appendTaker), '}')
}

func appendTaker(b []byte, t Taker) []byte {
	switch {
	case t.HoldID != "":
		b = appendMember(b, `{"hold_id":`, t.HoldID)
	case t.Planner:
		b = append(b, `{"planner":true`...)
	default:
		b = appendMember(b, `{"schedule_id":`, t.ScheduleID)
	}
	return append(b, '}')
}

func appendList[T any](b []byte, name string, values []T, one func([]byte, T) []byte) []byte {
	b = append(append(b, name...), '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = one(b, v)
	}
	return append(b, ']')
}

func appendSpan(b []byte, name string, start, end time.Time) []byte {
	return appendTime(appendTime(b, name, start), `,"end":`, end)
}

func appendTime(b []byte, name string, t time.Time) []byte {
	b = append(append(b, name...), '"')
	return append(t.AppendFormat(b, time.RFC3339Nano), '"')
}

func appendBool(b []byte, name string, v bool) []byte {
	return strconv.AppendBool(append(b, name...), v)
}

func appendMember(b []byte, name, s string) []byte { return appendQuoted(append(b, name...), s) }

// appendQuoted appends a string; those that need an escape are rare.
func appendQuoted(b []byte, s string) []byte {
	if !isPlain(s) {
		quoted, err := json.Marshal(s)
		if err != nil {
			panic("booking: a string is always JSON: " + err.Error())
		}
		return append(b, quoted...)
	}
	b = append(append(b, '"'), s...)
	return append(b, '"')
}

func isPlain(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ' || c >= 0x7f, c == '"', c == '\\', c == '<', c == '>', c == '&':
			return false
		}
	}
	return true
}
