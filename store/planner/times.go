package planner

import (
	"errors"
	"math"
	"time"
)

var (
	errTime  = errors.New("not an RFC 3339 time such as 2026-12-01T08:00:00Z, with at most nanoseconds")
	errRange = errors.New("a time outside 1677-09-21T00:12:44Z to 2262-04-11T23:47:16Z")
)

// Times lie between the extremes of an int64, which mean that an interval has no beginning or no end.
var beforeAll, afterAll = time.Unix(0, math.MinInt64), time.Unix(0, math.MaxInt64)

// parseTime reads an RFC 3339 time, of any offset, as Unix nanoseconds.
func parseTime(text []byte) (int64, error) {
	if ns, ok := plainTime(text); ok {
		return ns, nil
	}
	return anyTime(text)
}

// plainTime reads what nearly every time is, faster than the time package does: whole seconds in UTC,
// on a day that every month has, in a year that lies well between the extremes.
func plainTime(text []byte) (int64, bool) {
	const shape = "0000-00-00T00:00:00Z"
	if len(text) != len(shape) {
		return 0, false
	}
	for i := range len(shape) {
		if digit := text[i]-'0' <= 9; digit != (shape[i] == '0') || !digit && text[i] != shape[i] {
			return 0, false
		}
	}
	two := func(i int) int { return 10*int(text[i]-'0') + int(text[i+1]-'0') }
	year, month, day := 100*two(0)+two(2), two(5), two(8)
	hour, minute, second := two(11), two(14), two(17)
	if year < 1700 || year > 2200 || month < 1 || month > 12 || day < 1 || day > 28 || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC).UnixNano(), true
}

func anyTime(text []byte) (int64, error) {
	var t time.Time
	if err := t.UnmarshalText(text); err != nil || !strict(text, t) {
		return 0, errTime
	}
	if !t.After(beforeAll) || !t.Before(afterAll) {
		return 0, errRange
	}
	return t.UnixNano(), nil
}

// strict says whether text is RFC 3339 with at most nanoseconds. Go reads more as t: hours of one
// digit, a comma before the fraction, more digits than it keeps, offsets of a day.
func strict(text []byte, t time.Time) bool {
	const hour, second, nanosecond = len("2006-01-02T15"), len("2006-01-02T15:04:05"), len("2006-01-02T15:04:05.999999999")
	_, offset := t.Zone()
	switch last := len(text) - 1; {
	case text[hour] != ':' || text[second] == ',':
	case last >= nanosecond && text[second] == '.' && '0' <= text[nanosecond] && text[nanosecond] <= '9':
	case offset <= -24*60*60 || offset >= 24*60*60 || text[last] != 'Z' && text[last-1] >= '6':
	default:
		return true
	}
	return false
}
