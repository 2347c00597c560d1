package ui

import (
	"net/url"
	"testing"
)

// TestRhythmsAreShownAsTheyWereChosen: what a choice makes is read as that choice.
func TestRhythmsAreShownAsTheyWereChosen(t *testing.T) {
	t.Parallel()
	for _, r := range []Rhythm{
		{Repeat: "hourly", At: "09:00"},
		{Repeat: "daily", At: "00:00"},
		{Repeat: "daily", At: "23:59"},
		{Repeat: "weekdays", At: "08:05"},
		{Repeat: "weekly", At: "10:30", Weekday: "SUN"},
		{Repeat: ownRhythm, At: "09:00", Cron: "*/5 * * * *"},
		{Repeat: ownRhythm, At: "09:00", Cron: "0 25 * * *"},
	} {
		form, err := expressed(url.Values{"repeat": {r.Repeat}, "at": {r.At}, "weekday": {r.Weekday}, "cron": {r.Cron}, "count": {"3"}})
		if err != nil || form.Has("repeat") || form.Has("at") || form.Has("weekday") || form.Get("count") != "3" {
			t.Errorf("%+v becomes %v, %v", r, form, err)
		}
		if shown := RhythmOf(form); shown != r {
			t.Errorf("%+v, %q, is shown as %+v", r, form.Get("cron"), shown)
		}
	}
}
