package schedule

import (
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"oc-scheduler/store/calendar"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/strictjson"
	"oc-scheduler/store/timetext"
)

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
