package ui

import (
	"net/url"
	"testing"
	"time"
)

func TestQuestions(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"":                                              `{}`,
		"start=&duration=&zoom=":                        `{}`,
		"start=2026-12-01T09:00":                        `{"start":"2026-12-01T09:00:00Z"}`,
		"start=2026-12-01T09:00:30":                     `{"start":"2026-12-01T09:00:30Z"}`,
		"start=2026-12-01T09:00:00%2B01:00":             `{"start":"2026-12-01T08:00:00Z"}`,
		"duration=1h30m&as_possible=true":               `{"duration_s":5400,"as_possible":true}`,
		"preemption=true&zoom=week":                     `{"preemption":true}`,
		"selected_instances=&selected_instances=p/r:i1": `{"selected_instances":{"p/r":"i1"}}`,
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		q, err := ReadQuestion(values)
		if err != nil || q.JSON() != want {
			t.Errorf("%s asks %s, %v; want %s", query, q.JSON(), err, want)
		}
	}
	for _, query := range []string{"start=tomorrow", "start=2026-12-01", "duration=soon", "foo=1", "zoom=day&bar=2", "zoom=decade"} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadQuestion(values); err == nil {
			t.Errorf("%s is understood", query)
		}
	}
}

func TestLengthsAreShort(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "", time.Hour: "1h", 90 * time.Minute: "1h30m", 90 * time.Second: "1m30s", time.Hour + time.Second: "1h0m1s", 5 * time.Minute: "5m", 500 * time.Millisecond: "500ms",
	} {
		q := Question{}
		q.Duration = d
		if got := q.Length(); got != want {
			t.Errorf("%v is shown as %q, want %q", d, got, want)
		}
	}
}

// TestAWindowIsSeenWhole holds that a timeline shows more than the window, unless it is told otherwise.
func TestAWindowIsSeenWhole(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	for length, want := range map[time.Duration]Zoom{
		time.Minute: "hour", 30 * time.Minute: "hour", 31 * time.Minute: "day", 20 * time.Hour: "week",
		10 * 24 * time.Hour: "month", 90 * 24 * time.Hour: "year", 366 * 24 * time.Hour: "year",
	} {
		if got := fits(length); got != want {
			t.Errorf("%v is shown in a %s, want a %s", length, got, want)
		}
		s := Question{}.Stretch(&Answer{Start: start, End: start.Add(length)})
		if !s.From.Before(start) || (want != "year" && !s.To.After(start.Add(length))) {
			t.Errorf("%v is shown from %v to %v", length, s.From, s.To)
		}
		if n := len(s.scale().ticks()); n < 2 || n > 13 {
			t.Errorf("%v has %d ticks", length, n)
		}
	}
}
