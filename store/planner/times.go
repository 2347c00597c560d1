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
var beginning, end = time.Unix(0, math.MinInt64), time.Unix(0, math.MaxInt64)

// parseTime reads an RFC 3339 time, of any offset, as Unix nanoseconds.
func parseTime(text []byte) (int64, error) {
	var t time.Time
	if err := t.UnmarshalText(text); err != nil {
		return 0, errTime
	}
	if i := len("2006-01-02T15:04:05.999999999"); len(text) > i && '0' <= text[i] && text[i] <= '9' && text[i-10] == '.' {
		return 0, errTime // finer than a nanosecond
	}
	if !t.After(beginning) || !t.Before(end) {
		return 0, errRange
	}
	return t.UnixNano(), nil
}
