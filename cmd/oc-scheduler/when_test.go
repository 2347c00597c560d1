package main

import (
	"testing"
	"time"
)

// TestTimesAsPeopleWriteThem, in the zone of this machine; others are left to the replica.
func TestTimesAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 12, 1, 10, 30, 0, 500, time.Local)
	local := func(day, hour, minute int) string {
		return time.Date(2026, 12, day, hour, minute, 0, 0, time.Local).UTC().Format(time.RFC3339Nano)
	}
	for text, want := range map[when]string{
		"":                          "",
		"11:00":                     local(1, 11, 0),
		"10:30":                     local(1, 10, 30),
		"09:00":                     local(2, 9, 0),
		"9:00":                      "9:00",
		"24:00":                     "24:00",
		"2026-12-05":                local(5, 0, 0),
		"2026-12-05 09:15":          local(5, 9, 15),
		"2026-12-01T09:00:00+01:00": "2026-12-01T09:00:00+01:00",
		"nowhere":                   "nowhere",
		"now+":                      "now+",
		"now*2h":                    "now*2h",
		"now+2":                     "now+2",
		"tomorrow":                  "tomorrow",
	} {
		if got := text.at(from); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got := when("11:00").at(when("2026-12-03T23:00:00Z").from(from)); got <= "2026-12-03T23:00:00Z" || got > "2026-12-04T23:00:00Z" {
		t.Errorf("the end after a start on another day: %s", got)
	}
	for text, off := range map[when]time.Duration{"now": 0, "now+2h": 2 * time.Hour, "now-90m": -90 * time.Minute} {
		got, err := time.Parse(time.RFC3339, text.at(from))
		if d := time.Since(got.Add(-off)); err != nil || d < 0 || d > patience {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	y, m, d := time.Now().AddDate(0, 0, 1).Date()
	if got, want := when("tomorrow 09:00").at(from), time.Date(y, m, d, 9, 0, 0, 0, time.Local).UTC().Format(time.RFC3339Nano); got != want {
		t.Errorf("tomorrow: %s, want %s", got, want)
	}
}
