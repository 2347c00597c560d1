package timetext_test

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"oc-scheduler/store/timetext"
)

func TestInstant(t *testing.T) {
	t.Parallel()
	eight := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-12-01T08:00:00Z":                eight,
		"2026-12-01t08:00:00z":                eight,
		"2026-12-01T08:00:00-00:00":           eight,
		"2026-12-01T09:00:00+01:00":           eight,
		"2026-11-30T08:01:00-23:59":           eight,
		"2026-12-01T13:45:00+05:45":           eight,
		"2026-12-01T08:00:00.1Z":              eight.Add(100_000_000),
		"2026-12-01T09:00:00.1234+01:00":      eight.Add(123_400_000),
		"2026-12-01T09:00:00.12345+01:00":     eight.Add(123_450_000),
		"2026-12-01T09:00:00.1234567+01:00":   eight.Add(123_456_700),
		"2026-12-01T09:00:00.12345678+01:00":  eight.Add(123_456_780),
		"2026-12-01T09:00:00.123456789+01:00": eight.Add(123_456_789),
		"2024-02-29T00:00:00Z":                time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC),
		"2016-12-31T23:59:60Z":                time.Date(2017, 1, 1, 0, 0, 0, 0, time.UTC),
		"1990-12-31T15:59:60.5-08:00":         time.Date(1991, 1, 1, 0, 0, 0, 500_000_000, time.UTC),
		"1677-09-21T00:12:43.145224193Z":      time.Unix(0, math.MinInt64+1),
		"2262-04-11T23:47:16.854775806Z":      time.Unix(0, math.MaxInt64-1),
	} {
		ns, err := timetext.Instant(text)
		if err != nil || ns != want.UnixNano() {
			t.Errorf("%s: %v, %v", text, time.Unix(0, ns).UTC(), err)
		}
		if of, err := timetext.Instant([]byte(text)); err != nil || of != ns {
			t.Errorf("%s: as bytes %d, %v", text, of, err)
		}
	}
}

func TestNoInstant(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]error{
		"": timetext.ErrSyntax, "now": timetext.ErrSyntax, "2026-12-01": timetext.ErrSyntax,
		"2026-12-01T08:00:00":             timetext.ErrSyntax, // no offset
		"2026-12-01T9:00:00Z":             timetext.ErrSyntax,
		"2026-12-01T9:00:00.00Z":          timetext.ErrSyntax,
		"2026-12-01T08:00:00,5Z":          timetext.ErrSyntax,
		"2026-12-01T08:00:00.Z":           timetext.ErrSyntax,
		"2026-12-01T08:00:00.+01:00":      timetext.ErrSyntax,
		"2026-12-01T08:00:00.1234567890Z": timetext.ErrSyntax,
		"2026-12-01T24:00:00Z":            timetext.ErrSyntax,
		"2026-12-01T08:60:00Z":            timetext.ErrSyntax,
		"2026-12-01T08:00:61Z":            timetext.ErrSyntax,
		"2026-12-01T08:00:60Z":            timetext.ErrSyntax,
		"2026-12-31T23:59:60+01:00":       timetext.ErrSyntax,
		"2026-12-30T23:59:60Z":            timetext.ErrSyntax,
		"2026-02-29T08:00:00Z":            timetext.ErrSyntax,
		"2026-00-01T08:00:00Z":            timetext.ErrSyntax,
		"2026-13-01T08:00:00Z":            timetext.ErrSyntax,
		"2026-12-00T08:00:00Z":            timetext.ErrSyntax,
		"2026-12-01 08:00:00Z":            timetext.ErrSyntax,
		" 2026-12-01T08:00:00Z":           timetext.ErrSyntax,
		"2026-12-01T08:00:00Z ":           timetext.ErrSyntax,
		"2026-12-01T08:00:00+24:00":       timetext.ErrSyntax,
		"2026-12-01T08:00:00+01:60":       timetext.ErrSyntax,
		"2026-12-01T08:00:00+0100":        timetext.ErrSyntax,
		"2026-12-01T08:00:00+01":          timetext.ErrSyntax,
		"2026-12-01T08:00:00−01:00":       timetext.ErrSyntax,
		"+2026-12-01T08:00:00Z":           timetext.ErrSyntax,
		"12026-12-01T08:00:00Z":           timetext.ErrSyntax,
		"2026-1-1T08:00:00Z":              timetext.ErrSyntax,
		"٢٠٢٦-12-01T08:00:00Z":            timetext.ErrSyntax,
		"0000-01-01T00:00:00Z":            timetext.ErrRange,
		"1677-09-21T00:12:43.145224192Z":  timetext.ErrRange,
		"2262-04-11T23:47:16.854775807Z":  timetext.ErrRange,
		"9999-12-31T23:59:59Z":            timetext.ErrRange,
	} {
		if ns, err := timetext.Instant(text); !errors.Is(err, want) {
			t.Errorf("%q: %v, %v, want %v", text, time.Unix(0, ns).UTC(), err, want)
		}
	}
}

var grammar = regexp.MustCompile(`^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$`)

// slowly is Instant by other means: a regular expression for the grammar, and a calendar that is counted.
func slowly(text string) (ns int64, syntax, inRange bool) {
	m := grammar.FindStringSubmatch(text)
	if m == nil {
		return 0, false, false
	}
	n := make([]int64, len(m))
	for i, s := range m {
		n[i], _ = strconv.ParseInt(s, 10, 64)
	}
	year, month, day, hour, minute, second := n[1], n[2], n[3], n[4], n[5], n[6]
	nanos, _ := strconv.ParseInt((m[7] + "000000000")[:9], 10, 64)
	leap := func(y int64) bool { return y%4 == 0 && (y%100 != 0 || y%400 == 0) }
	lengths := [...]int64{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}
	if leap(year) {
		lengths[1] = 29
	}
	if month < 1 || month > 12 || day < 1 || day > lengths[month-1] || hour > 23 || minute > 59 || second > 60 || n[9] > 23 || n[10] > 59 {
		return 0, false, false
	}
	days := int64(0)
	for y := int64(1970); y < year; y++ {
		days += 365
		if leap(y) {
			days++
		}
	}
	for y := year; y < 1970; y++ {
		days -= 365
		if leap(y) {
			days--
		}
	}
	for _, l := range lengths[:month-1] {
		days += l
	}
	offset := 60 * (60*n[9] + n[10])
	if m[8] == "-" {
		offset = -offset
	}
	seconds := 86400*(days+day-1) + 3600*hour + 60*minute + second - offset
	if second == 60 { // by the time package, for once
		if at := time.Unix(seconds, 0).UTC(); at.Format("02 15:04:05") != "01 00:00:00" {
			return 0, false, false
		}
	}
	const most = math.MaxInt64 / 1_000_000_000
	if seconds < -most-1 || seconds > most {
		return 0, true, false
	}
	if seconds < 0 { // so that no step leaves the range
		seconds, nanos = seconds+1, nanos-1_000_000_000
	}
	if nanos < math.MinInt64-seconds*1_000_000_000 && seconds < 0 || seconds >= 0 && nanos > math.MaxInt64-seconds*1_000_000_000 {
		return 0, true, false
	}
	ns = seconds*1_000_000_000 + nanos
	return ns, true, ns != math.MinInt64 && ns != math.MaxInt64
}

// agrees holds Instant against its slow twin.
func agrees(t interface{ Errorf(string, ...any) }, text string) {
	ns, err := timetext.Instant(text)
	want, syntax, inRange := slowly(text)
	switch {
	case !syntax:
		if !errors.Is(err, timetext.ErrSyntax) {
			t.Errorf("%q: %d, %v, want no time", text, ns, err)
		}
	case !inRange:
		if !errors.Is(err, timetext.ErrRange) {
			t.Errorf("%q: %d, %v, want one out of range", text, ns, err)
		}
	case err != nil || ns != want:
		t.Errorf("%q: %d, %v, want %d", text, ns, err, want)
	}
}

func FuzzInstant(f *testing.F) {
	for _, text := range []string{"2026-12-01T08:00:00Z", "2016-12-31T23:59:60.5+01:00", "1677-09-21T00:12:43.145224193Z", "2262-04-11T23:47:16.854775807Z", "0000-02-29t00:00:00.000000001-23:59"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { agrees(t, text) })
}

// TestInstantsAgree draws what is nearly a time.
func TestInstantsAgree(t *testing.T) {
	t.Parallel()
	plain := rapid.OneOf( // or nearly
		rapid.StringMatching(`(1[5-9]|2[0-3])[0-9]{2}-12-01T08:00:00Z`),
		rapid.StringMatching(`20[0-9]{2}-(0[0-9]|1[0-3])-(0[0-9]|2[89]|3[0-9])T08:00:00Z`),
		rapid.StringMatching(`2026-12-01T(0[89]|2[345]):[56][0-9]:[56][0-9]Z`),
		rapid.StringMatching(`[-/:2][-/:0][-/:2]6[-/:0]12[-/:0]01[Tt ]08[-/:0]00[-/:0]0[-/:0][Zz+.]?`),
	)
	number := func(t *rapid.T, digits, most int) string {
		return fmt.Sprintf("%0*d", digits, rapid.IntRange(0, most).Draw(t, "number"))
	}
	rapid.Check(t, func(t *rapid.T) {
		year := number(t, 4, 9999)
		if rapid.Bool().Draw(t, "usual") {
			year = fmt.Sprint(rapid.IntRange(1670, 2270).Draw(t, "year"))
		}
		text := year + "-" + number(t, 2, 13) + "-" + number(t, 2, 32) + rapid.SampledFrom([]string{"T", "t", " "}).Draw(t, "T") +
			number(t, 2, 24) + ":" + number(t, 2, 60) + ":" + number(t, 2, 61) +
			rapid.StringMatching(`(\.[0-9]{0,10})?`).Draw(t, "fraction") + rapid.StringMatching(`[Zz]|[+-][0-2][0-9]:[0-6][0-9]`).Draw(t, "offset")
		agrees(t, text)
		agrees(t, plain.Draw(t, "plain"))
	})
}

func TestSeconds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"0": 0, "-0": 0, "3600": time.Hour, "0.000000001": 1, "36e2": time.Hour, "3.6E+3": time.Hour, "1e-9": 1, "-1.5": -1500 * time.Millisecond,
		"0.30000000000000004": 300 * time.Millisecond, "9223372036.854775807": math.MaxInt64, "1e-999": 0,
	} {
		if got, err := timetext.Seconds(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", " 1", "1 ", "+1", "01", "1.", ".5", "1_000", "0x10", "0x10p0", "0b1", "1e", "Inf", "-Inf", "NaN", "nan", "infinity", "1s", "1h", "1,5", "１",
		"9223372036.854775808", "1e300", "1e999", "-1e10", `"1"`, "1 2", "1e5e5", "null", "--1", "eE",
	} {
		if got, err := timetext.Seconds(text); !errors.Is(err, timetext.ErrSeconds) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func TestDuration(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "5s": 5 * time.Second, "1h30m": 90 * time.Minute, "1.5h": 90 * time.Minute, "2ms3µs4us5ns": 2_007_005, "-1s": -time.Second,
	} {
		if got, err := timetext.Duration(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "5", "+5s", ".5s", "5.s", "1h.5m", "1h5.m", "5 s", " 5s", "1_0s", "0x1s", "1e3s", "Infs", "s", "1d", "9999999h", "--1s"} {
		if got, err := timetext.Duration(text); !errors.Is(err, timetext.ErrDuration) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// TestSecondsAgree: a decimal is what its digits say, to the nanosecond.
func TestSecondsAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		whole, ns := rapid.IntRange(0, 9_000_000_000).Draw(t, "whole"), rapid.IntRange(0, 999_999_999).Draw(t, "ns")
		text := strings.TrimRight(fmt.Sprintf("%d.%09d", whole, ns), "0") + "0"
		if got, err := timetext.Seconds(text); err != nil || int(got) != whole*1_000_000_000+ns {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	})
}
