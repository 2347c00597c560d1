package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
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

// blame turns the places of faults in the request into the flags that they came from.
func blame(err error) error {
	if p, ok := errors.AsType[*problem](err); ok {
		for i := range p.Errors {
			p.Errors[i].Path = flagOf(p.Errors[i].Path)
			p.Errors[i].Message = inFlags(p.Errors[i].Message)
		}
		p.Detail = inFlags(p.Detail)
	}
	return err
}

// member is a word that only programs say.
var member = regexp.MustCompile(`\b[a-z]+(?:_[a-z]+)+\b`)

// flagged are the members of requests that are flags here.
var flagged = []string{
	"duration_s", "booking_mode", "as_possible", "selected_instances", "time_zone", "all_or_nothing", "catch_up_s", "ttl_s", "timeout_s",
}

// inFlags is what a replica says, in the words of who has written flags.
func inFlags(text string) string {
	text = strings.ReplaceAll(text, "wait_s in the body waits", "--ask waits")
	return member.ReplaceAllStringFunc(text, func(word string) string {
		if slices.Contains(flagged, word) {
			return flagOf(word)
		}
		return word
	})
}

// flagOf is the flag of a member of the request, given as its JSONPath; "" of the whole.
func flagOf(path string) string {
	member := strings.TrimLeft(path, "$.['")
	if end := strings.IndexAny(member, ".['"); end >= 0 {
		member = member[:end]
	}
	switch member = strings.TrimSuffix(member, "_s"); member {
	case "":
		return ""
	case "n":
		return "-n"
	case "selected_instances":
		member = "instance"
	case "labels":
		member = "label"
	}
	return "--" + strings.ReplaceAll(member, "_", "-")
}
