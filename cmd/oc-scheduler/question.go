package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// span says when something shall run, and on what.
type span struct {
	Start       when           `placeholder:"TIME" help:"When it shall begin: as RFC 3339 has it, now+2h, 09:00, 'tomorrow 09:00' or '2026-12-01 09:00'; without it, now."`
	End         when           `placeholder:"TIME" help:"When it shall end, instead of --duration; an hour alone is the first after the start."`
	Duration    *time.Duration `placeholder:"TIME" help:"How long it takes; without it the workflow's own durations count."`
	AsPossible  bool           `help:"Ask for the earliest window from now on."`
	Preemption  bool           `help:"What others have booked, and would give up, counts as available; booking takes it from them, the newest first."`
	BookingMode string         `placeholder:"MODE" help:"planned, preempted or when_possible."`
	Instance    []string       `sep:"none" placeholder:"RESOURCE:INSTANCE" help:"Place a resource on this instance; repeatable."`
}

// spanDoc is a span as a request has it.
type spanDoc struct {
	Start       string            `json:"start,omitempty"`
	End         string            `json:"end,omitempty"`
	DurationS   *float64          `json:"duration_s,omitempty"`
	BookingMode string            `json:"booking_mode,omitempty"`
	AsPossible  bool              `json:"as_possible,omitempty"`
	Preemption  bool              `json:"preemption,omitempty"`
	Instances   map[string]string `json:"selected_instances,omitempty"`
}

// doc is the flags as they are sent; whether they make sense is for the replica to say.
func (s *span) doc() (spanDoc, error) {
	instances := map[string]string{}
	for _, choice := range s.Instance {
		colon := strings.LastIndexByte(choice, ':')
		if colon < 0 {
			return spanDoc{}, fmt.Errorf("--instance: %q is not RESOURCE:INSTANCE", choice)
		}
		instances[choice[:colon]] = choice[colon+1:]
	}
	now := time.Now()
	start := s.Start.at(now)
	if s.Start == "now" {
		start = "" // which is when the replica has it
	}
	return spanDoc{start, s.End.at(s.Start.from(now)), seconds(s.Duration), s.BookingMode, s.AsPossible, s.Preemption, instances}, nil
}

// seconds is a length as requests have it; nil: it was not given.
func seconds(d *time.Duration) *float64 {
	if d == nil {
		return nil
	}
	return new(d.Seconds())
}

// question is what is asked of a replica.
type question struct {
	span
	Wait  time.Duration `placeholder:"TIME" help:"Wait so long for planners that are missing."`
	Watch bool          `short:"w" help:"Print each new answer until interrupted; the exit code is the last one's. Without --start the window moves each minute."`
}

// AfterApply checks what no replica does.
func (q *question) AfterApply() error {
	if q.Wait < 0 {
		return errors.New("--wait: must not be below zero")
	}
	return nil
}

// request is the flags as a check request.
func (q *question) request() ([]byte, error) {
	doc, err := q.doc()
	if err != nil {
		return nil, err
	}
	return json.Marshal(doc)
}
