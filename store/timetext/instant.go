package timetext

import (
	"errors"
	"math"
	"time"
)

// Errors of Instant and of Nanoseconds.
var (
	ErrSyntax = errors.New("not an RFC 3339 time such as 2026-12-01T08:00:00Z, with at most nanoseconds")
	ErrRange  = errors.New("a time outside 1677-09-21T00:12:44Z to 2262-04-11T23:47:16Z")
)

// The extremes of an int64 mean that an interval has no beginning or no end.
var beforeAll, afterAll = time.Unix(0, math.MinInt64), time.Unix(0, math.MaxInt64)

// Instant reads an RFC 3339 time of any offset, as Unix nanoseconds between the extremes of an int64. It
// returns ErrSyntax, or ErrRange.
//
// The text is a date-time of RFC 3339, section 5.6: its letters may be small, nothing may stand for them. A
// leap second, 23:59:60 UTC at the end of a month, is the second after it, as in all Unix time. A fraction
// has nine digits at most: what is finer than a nanosecond would be lost.
func Instant[T string | []byte](text T) (ns int64, err error) {
	if ns, ok := plain(text); ok {
		return ns, nil
	}
	t, ok := any3339(text)
	if !ok {
		return 0, ErrSyntax
	}
	return Nanoseconds(t)
}

// Nanoseconds is a time as Unix nanoseconds between the extremes of an int64. It returns ErrRange.
func Nanoseconds(t time.Time) (int64, error) {
	if !t.After(beforeAll) || !t.Before(afterAll) {
		return 0, ErrRange
	}
	return t.UnixNano(), nil
}

const shape = "0000-00-00T00:00:00"

// plain reads what nearly every time is, faster than the time package does: whole seconds in UTC, on a day
// that every month has, in a year that lies well between the extremes.
func plain[T string | []byte](text T) (int64, bool) {
	if len(text) != len(shape)+1 || text[len(shape)] != 'Z' {
		return 0, false
	}
	for i := range len(shape) {
		if digit := text[i]-'0' <= 9; digit != (shape[i] == '0') || !digit && text[i] != shape[i] {
			return 0, false
		}
	}
	year, month, day := 100*two(text, 0)+two(text, 2), two(text, 5), two(text, 8)
	hour, minute, second := two(text, 11), two(text, 14), two(text, 17)
	if year < 1700 || year > 2200 || month < 1 || month > 12 || day < 1 || day > 28 || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	return int64(((days(year, month, day)*24+hour)*60+minute)*60+second) * int64(time.Second), true
}

// days counts those from 1970 to a day of a year after 0. Its years begin in March, so that the day which
// not all have is the last; then each month begins 30.6 days after the one before it, rounded.
func days(year, month, day int) int {
	if month -= 3; month < 0 {
		year, month = year-1, month+12
	}
	const before = 719468 // from March 1 of the year 0 to 1970
	return 365*year + year/4 - year/100 + year/400 + (153*month+2)/5 + day - 1 - before
}

func two[T string | []byte](text T, at int) int { return 10*int(text[at]-'0') + int(text[at+1]-'0') }

// any3339 reads every time that RFC 3339 has, with up to nine digits of a fraction.
func any3339[T string | []byte](text T) (t time.Time, ok bool) {
	if len(text) < len(shape)+1 {
		return t, false
	}
	for i := range len(shape) {
		switch c := text[i]; {
		case shape[i] == '0' && c-'0' > 9:
			return t, false
		case shape[i] == 'T' && c != 'T' && c != 't':
			return t, false
		case shape[i] != '0' && shape[i] != 'T' && c != shape[i]:
			return t, false
		}
	}
	rest := text[len(shape):]
	ns, digits := fraction(rest)
	offset, isOffset := zone(rest[digits:])
	year, month, day := 100*two(text, 0)+two(text, 2), two(text, 5), two(text, 8)
	hour, minute, second := two(text, 11), two(text, 14), two(text, 17)
	t = time.Date(year, time.Month(month), day, hour, minute, second-offset, ns, time.UTC)
	switch {
	case !isOffset, digits == 1, digits > 1+9, hour > 23, minute > 59, !isDay(year, month, day):
		return t, false
	}
	return t, second <= 59 || second == 60 && endsMonth(t)
}

// fraction is the nanoseconds of a fraction, and how many bytes it has with its point.
func fraction[T string | []byte](text T) (ns, size int) {
	if text[0] != '.' {
		return 0, 0
	}
	unit := int(time.Second)
	for size = 1; size < len(text) && text[size]-'0' <= 9; size++ {
		unit /= 10
		ns += unit * int(text[size]-'0')
	}
	return ns, size
}

// zone is the seconds by which a time is ahead of UTC.
func zone[T string | []byte](text T) (offset int, ok bool) {
	switch {
	case len(text) == 1:
		return 0, text[0] == 'Z' || text[0] == 'z'
	case len(text) != len("+00:00") || text[0] != '+' && text[0] != '-' || text[3] != ':':
		return 0, false
	}
	for _, i := range [...]int{1, 2, 4, 5} {
		if text[i]-'0' > 9 {
			return 0, false
		}
	}
	hours, minutes := two(text, 1), two(text, 4)
	if offset = 3600*hours + 60*minutes; text[0] == '-' {
		offset = -offset
	}
	return offset, hours <= 23 && minutes <= 59
}

func isDay(year, month, day int) bool {
	return month >= 1 && month <= 12 && day >= 1 && day <= time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// endsMonth says whether the second that a time is in is the first of a month: the second before it may be
// a leap second.
func endsMonth(t time.Time) bool {
	return t.Day() == 1 && t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0
}
