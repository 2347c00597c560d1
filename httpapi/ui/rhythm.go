package ui

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"

	"oc-scheduler/store/fault"
)

// Rhythm is how often something comes again, as people choose it: most need no expression.
type Rhythm struct {
	Repeat  string // see repeats
	At      string // the time of a day
	Weekday string
	Cron    string // an expression of one's own
}

// rhythmFields are those of a form that say how often.
var rhythmFields = []string{"repeat", "at", "weekday"}

// ownRhythm is the choice of an expression.
const ownRhythm = "own"

var (
	repeats  = []option{{Value: "hourly", Name: "each hour"}, {Value: "daily", Name: "each day"}, {Value: "weekdays", Name: "Monday to Friday"}, {Value: "weekly", Name: "each week"}, {Value: ownRhythm, Name: "by an expression of my own"}}
	weekdays = []option{{Value: "MON", Name: "Monday"}, {Value: "TUE", Name: "Tuesday"}, {Value: "WED", Name: "Wednesday"}, {Value: "THU", Name: "Thursday"}, {Value: "FRI", Name: "Friday"}, {Value: "SAT", Name: "Saturday"}, {Value: "SUN", Name: "Sunday"}}

	dayTime   = regexp.MustCompile(`^([01]\d|2[0-3]):([0-5]\d)(?::00)?$`)
	plainCron = regexp.MustCompile(`^([0-5]?\d) ([01]?\d|2[0-3]) \* \* (\*|MON-FRI|MON|TUE|WED|THU|FRI|SAT|SUN)$`)
)

// expressed is a form whose rhythm is an expression, whichever way it was chosen. The error is a fault.List.
func expressed(form url.Values) (url.Values, error) {
	r := Rhythm{form.Get("repeat"), form.Get("at"), form.Get("weekday"), form.Get("cron")}
	if r.Repeat == "" {
		return form, nil
	}
	var faults fault.List
	form = maps.Clone(form)
	for _, name := range rhythmFields {
		form.Del(name)
	}
	form.Set("cron", r.expression(&faults))
	return form, faults.Err()
}

func (r Rhythm) expression(faults *fault.List) string {
	switch {
	case r.Repeat == ownRhythm && r.Cron == "":
		faults.Add("$.cron", "must say when")
	case r.Repeat == ownRhythm:
		return r.Cron
	case r.Cron != "":
		faults.Add("$.cron", "has to be empty, or an expression of one's own has to be chosen")
	case r.Repeat == "hourly":
		return "0 * * * *"
	}
	days := map[string]string{"daily": "*", "weekdays": "MON-FRI", "weekly": r.Weekday}[r.Repeat]
	at := dayTime.FindStringSubmatch(r.At)
	switch {
	case !slices.ContainsFunc(repeats, func(o option) bool { return o.Value == r.Repeat }):
		faults.Add("$.repeat", "must be one of those that there are")
	case r.Repeat == "weekly" && !slices.ContainsFunc(weekdays, func(o option) bool { return o.Value == r.Weekday }):
		faults.Add("$.weekday", "must be a day of the week")
	case at == nil && days != "":
		faults.Add("$.at", "must be a time like 08:30")
	case at != nil:
		return fmt.Sprintf("%s %s * * %s", bare(at[2]), bare(at[1]), days)
	}
	return r.Cron
}

// bare is a number of two digits without a zero before it.
func bare(digits string) string {
	if digits[0] == '0' {
		return digits[1:]
	}
	return digits
}

// padded is a number of two digits.
func padded(digits string) string { return "00"[len(digits):] + digits }

// RhythmOf is how the form shows a rhythm that was chosen, or is in an address as an expression.
func RhythmOf(form url.Values) Rhythm {
	r := Rhythm{form.Get("repeat"), form.Get("at"), form.Get("weekday"), form.Get("cron")}
	plain := plainCron.FindStringSubmatch(r.Cron)
	switch {
	case r.Repeat != "":
	case r.Cron == "":
		r.Repeat = "daily"
	case r.Cron == "0 * * * *" || r.Cron == "@hourly":
		r.Repeat, r.Cron = "hourly", ""
	case plain != nil:
		r.Repeat, r.At, r.Cron = map[string]string{"*": "daily", "MON-FRI": "weekdays"}[plain[3]], padded(plain[2])+":"+padded(plain[1]), ""
		if r.Repeat == "" {
			r.Repeat, r.Weekday = "weekly", plain[3]
		}
	default:
		r.Repeat = ownRhythm
	}
	if r.At == "" {
		r.At = "09:00"
	}
	return r
}

// Repeats are the choices.
func (r Rhythm) Repeats() []option { return chosenOf(repeats, r.Repeat) }

// Weekdays are those of the choice by the week.
func (r Rhythm) Weekdays() []option { return chosenOf(weekdays, r.Weekday) }

func chosenOf(list []option, value string) []option {
	list = slices.Clone(list)
	for i := range list {
		list[i].Chosen = list[i].Value == value
	}
	return list
}
