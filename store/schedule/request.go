package schedule

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/calendar"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/strictjson"
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
