package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// question is what is asked of a replica.
type question struct {
	Start       string         `placeholder:"TIME" help:"When it shall begin (RFC 3339); without it the window begins now and moves each minute."`
	End         string         `placeholder:"TIME" help:"When it shall end (RFC 3339), instead of --duration."`
	Duration    *time.Duration `placeholder:"TIME" help:"How long it takes; without it the workflow's own durations count."`
	AsPossible  bool           `help:"Ask for the earliest window from now on."`
	Preemption  bool           `help:"Capacity that others have booked counts as available."`
	BookingMode string         `placeholder:"MODE" help:"planned, preempted or when_possible."`
	Instance    []string       `sep:"none" placeholder:"RESOURCE:INSTANCE" help:"Place a resource on this instance; repeatable."`
	Wait        time.Duration  `placeholder:"TIME" help:"Wait so long for planners that are missing."`
	Watch       bool           `short:"w" help:"Print each new answer until interrupted; the exit code is the last one's."`
}

// AfterApply checks what no replica does.
func (q *question) AfterApply() error {
	if q.Wait < 0 {
		return errors.New("--wait: must not be below zero")
	}
	return nil
}

// request is the flags as a check request; whether they make sense is for the replica to say.
func (q *question) request() ([]byte, error) {
	instances := map[string]string{}
	for _, choice := range q.Instance {
		colon := strings.LastIndexByte(choice, ':')
		if colon < 0 {
			return nil, fmt.Errorf("--instance: %q is not RESOURCE:INSTANCE", choice)
		}
		instances[choice[:colon]] = choice[colon+1:]
	}
	var seconds *float64
	if q.Duration != nil {
		seconds = new(q.Duration.Seconds())
	}
	return json.Marshal(struct {
		Start       string            `json:"start,omitempty"`
		End         string            `json:"end,omitempty"`
		DurationS   *float64          `json:"duration_s,omitempty"`
		BookingMode string            `json:"booking_mode,omitempty"`
		AsPossible  bool              `json:"as_possible,omitempty"`
		Preemption  bool              `json:"preemption,omitempty"`
		Instances   map[string]string `json:"selected_instances,omitempty"`
	}{q.Start, q.End, seconds, q.BookingMode, q.AsPossible, q.Preemption, instances})
}

// blame turns the places of faults in the request into the flags that they came from.
func (q *question) blame(err error) error {
	if p, ok := errors.AsType[*problem](err); ok {
		for i := range p.Errors {
			p.Errors[i].Path = flagOf(p.Errors[i].Path)
		}
	}
	return err
}

// flagOf is the flag of a member of the request, given as its JSONPath; "" of the whole.
func flagOf(path string) string {
	member := strings.TrimLeft(path, "$.['")
	if end := strings.IndexAny(member, ".['"); end >= 0 {
		member = member[:end]
	}
	switch member {
	case "":
		return ""
	case "duration_s":
		member = "duration"
	case "selected_instances":
		member = "instance"
	}
	return "--" + strings.ReplaceAll(member, "_", "-")
}
