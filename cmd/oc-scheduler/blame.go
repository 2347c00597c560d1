package main

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"oc-scheduler/client"
)

// blame turns the places of faults in the request into the flags that they came from.
func blame(err error) error {
	if p, ok := errors.AsType[*client.Problem](err); ok {
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

// inSeconds are limits of what is written as a duration here.
var inSeconds = regexp.MustCompile(`a number of seconds from \d+ to \d+`)

// exampleTime is how a replica shows a time; here there are more ways to write one.
var exampleTime = regexp.MustCompile(`\ba time like \S+ \(RFC 3339\)|\ban RFC 3339 time such as [^\s,]+`)

const waysOfTime = "a time such as now+2h, 09:00, 'tomorrow 09:00', '2026-12-01 09:00' or 2026-12-01T09:00:00Z"

// asDuration is a number of seconds as a duration.
func asDuration(seconds string) string {
	d, _ := time.ParseDuration(seconds + "s") // digits
	return d.String()
}

// inFlags is what a replica says, in the words of who has written flags.
func inFlags(text string) string {
	text = strings.NewReplacer("wait_s in the body waits", "--ask waits", "end and duration cannot", "--end and --duration cannot").Replace(text)
	text = exampleTime.ReplaceAllString(text, waysOfTime)
	text = inSeconds.ReplaceAllStringFunc(text, func(limits string) string {
		least, most, _ := strings.Cut(strings.TrimPrefix(limits, "a number of seconds from "), " to ")
		return "from " + asDuration(least) + " to " + asDuration(most)
	})
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
