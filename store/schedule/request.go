package schedule

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/calendar"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/strictjson"
	"oc-scheduler/store/timetext"
)

// Request is what is to be booked, its values valid one by one.
type Request struct {
	booking.Request      // the window; with Recurs, its start is the earliest and its length that of each
	Recurs          bool // as Times says; else there is one occurrence
	Times           calendar.Schedule
	Until           time.Time // the last start, inclusive; zero: none
	Count           int       // how many occurrences; 0: any number
	Overlap         Overlap
	AllOrNothing    bool
	CatchUp         time.Duration // how late an occurrence may still start
	Preemptible     bool
	Labels          map[string]string

	TTL  time.Duration // of a hold
	Wait time.Duration // for planners that are missing

	Body json.RawMessage // as it was asked for
}

// Overlap says what becomes of an occurrence whose window begins within that of the one before.
type Overlap string

// What becomes of an occurrence that begins too early.
const (
	SkipOverlap  Overlap = "skip"
	AllowOverlap Overlap = "allow"
)

// Body is a kind of request.
type Body int

// Kinds of requests, by the members that they have beside those of a check.
const (
	ScheduleBody Body = iota
	RunBody           // one occurrence: neither cron, until, count nor overlap
	HoldBody          // ttl_s, which is required, and wait_s
	ConfirmBody       // labels, catch_up_s and preemptible alone
)

// Bounds of requests.
const (
	maxLabels, maxLabel = 32, 256 // a label's name or value, in bytes
	defaultCatchUp      = 5 * time.Minute
	maxCatchUp          = 24 * time.Hour
	maxTTL              = 15 * time.Minute
	maxWait             = 30 * time.Second
	maxCount            = 1_000_000
)

var members = map[Body][]string{
	ScheduleBody: {
		"cron", "time_zone", "until", "count", "gap", "ambiguity", "overlap", "all_or_nothing", "catch_up_s", "preemptible", "labels", "wait_s",
	},
	RunBody:     {"time_zone", "gap", "ambiguity", "all_or_nothing", "catch_up_s", "preemptible", "labels", "wait_s"},
	HoldBody:    {"ttl_s", "wait_s"},
	ConfirmBody: {"labels", "catch_up_s", "preemptible"},
}

// DecodeRequest reads a request from a JSON object. It fails as booking.DecodeRequest does.
func DecodeRequest(data []byte, kind Body) (Request, error) {
	d := &draft{Request: Request{Overlap: SkipOverlap, CatchUp: defaultCatchUp, Labels: map[string]string{}, Body: data}}
	d.Times.Zone, d.Times.Gap, d.Times.Ambiguity = time.UTC, calendar.Shift, calendar.First
	allowed := members[kind]
	var err error
	d.Request.Request, err = booking.DecodeWith(data, func(r *strictjson.Reader, name []byte, value jsontext.Value) bool {
		d.Reader = r
		return slices.Contains(allowed, string(name)) && d.member(string(name), value)
	})
	if err != nil {
		return Request{}, err
	}
	var faults fault.List
	if kind == HoldBody && d.TTL == 0 {
		faults.Add("$.ttl_s", "is missing: how long the hold shall last, 1 to %d seconds", maxTTL/time.Second)
	}
	if !d.Recurs && (!d.Until.IsZero() || d.Count > 0) {
		faults.Add("$.cron", "is missing: without it there is one occurrence, and neither until nor count")
	}
	return d.Request, faults.Err()
}

// draft is a request in the making.
type draft struct {
	Request
	*strictjson.Reader
}

func (d *draft) member(name string, value jsontext.Value) bool {
	path := fault.Member(fault.Root, name)
	switch name {
	case "cron":
		d.Recurs = true
		d.Times.Cron = word(d, path, value, calendar.ParseCron)
	case "time_zone":
		if zone := word(d, path, value, calendar.Zone); zone != nil {
			d.Times.Zone = zone
		}
	case "gap":
		d.Times.Gap = word(d, path, value, calendar.ParseGap)
	case "ambiguity":
		d.Times.Ambiguity = word(d, path, value, calendar.ParseAmbiguity)
	case "overlap":
		d.overlap(path, value)
	case "until":
		d.until(path, value)
	case "count":
		d.Count = d.number(path, value)
	case "all_or_nothing":
		d.AllOrNothing = d.Bool(path, value)
	case "preemptible":
		d.Preemptible = d.Bool(path, value)
	case "catch_up_s":
		d.CatchUp = d.seconds(path, value, 0, maxCatchUp)
	case "ttl_s":
		d.TTL = d.seconds(path, value, time.Second, maxTTL)
	case "wait_s":
		wait, ok := d.Seconds(path, value)
		if ok && wait < 0 {
			d.Faults.Add(path, "must not be negative")
		}
		d.Wait = min(wait, maxWait)
	case "labels":
		d.labels(path, value)
	}
	return true
}

// word is a text that has a meaning, or a fault.
func word[T any](d *draft, path string, value jsontext.Value, parse func(string) (T, error)) (v T) {
	text, ok := d.Text(path, value)
	if !ok {
		return v
	}
	v, err := parse(text)
	if err != nil {
		d.Faults.Add(path, "%v", err)
	}
	return v
}

func (d *draft) overlap(path string, value jsontext.Value) {
	text, ok := d.Text(path, value)
	if d.Overlap = Overlap(text); ok && d.Overlap != SkipOverlap && d.Overlap != AllowOverlap {
		d.Faults.Add(path, "must be %s or %s", SkipOverlap, AllowOverlap)
	}
}

func (d *draft) until(path string, value jsontext.Value) {
	text, ok := d.Text(path, value)
	if !ok {
		return
	}
	ns, err := timetext.Instant(text)
	if err != nil {
		d.Faults.Add(path, "%v", err)
		return
	}
	d.Until = time.Unix(0, ns).UTC()
}

func (d *draft) number(path string, value jsontext.Value) int {
	n, err := strconv.Atoi(string(value))
	if err != nil || n < 1 || n > maxCount {
		d.Faults.Add(path, "must be a whole number from 1 to %d", maxCount)
	}
	return n
}

func (d *draft) seconds(path string, value jsontext.Value, least, most time.Duration) time.Duration {
	length, ok := d.Seconds(path, value)
	if ok && (length < least || length > most) {
		d.Faults.Add(path, "must be a number of seconds from %d to %d", least/time.Second, most/time.Second)
	}
	return length
}

func (d *draft) labels(path string, value jsontext.Value) {
	d.Object(path, value, func(name []byte, value jsontext.Value) {
		inner := fault.Member(path, string(name))
		text, ok := d.Text(inner, value)
		if ok && (len(name) == 0 || len(name) > maxLabel || len(text) > maxLabel) {
			d.Faults.Add(inner, "a label has a name of 1 to %d bytes and a value of %[1]d at most", maxLabel)
		}
		d.Labels[string(name)] = text
	})
	if len(d.Labels) > maxLabels {
		d.Faults.Add(path, "at most %d labels, not %d", maxLabels, len(d.Labels))
	}
}
