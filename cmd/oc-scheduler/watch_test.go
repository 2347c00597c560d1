package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"oc-scheduler/client"
)

// TestWatchPrintsWhatHasChanged: a version that looks the same is shown in JSON alone.
func TestWatchPrintsWhatHasChanged(t *testing.T) {
	t.Parallel()
	frames := []string{
		takenAnswer,
		strings.Replace(takenAnswer, "2026-12-01T08:00:00Z", "2026-12-01T08:00:01Z", 1), // after a reconnect
		strings.Replace(takenAnswer, `"version":"v"`, `"version":"w"`, 1),
		strings.NewReplacer(`"version":"v"`, `"version":"x"`, "16.5", "8").Replace(takenAnswer),
	}
	for format, want := range map[string]int{"json": 3, "table": 2} {
		var out strings.Builder
		w := &watcher{p: outputFlags{Output: format}.printer(&console{stdout: &sink{w: &out}, env: lookupIn(nil)})}
		for _, frame := range frames {
			var answer result
			if err := json.Unmarshal([]byte(frame), &answer); err != nil {
				t.Fatal(err)
			}
			if err := w.show([]byte(frame), &answer); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Count(out.String(), "wf-1"); got != want {
			t.Errorf("%s: %d answers, want %d:\n%s", format, got, want, out.String())
		}
		if w.last == nil || w.last.Version != "x" {
			t.Errorf("the last answer is %+v", w.last)
		}
	}
}

func TestWhyAConnectionEnded(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"the replica restarts":         &client.ClosedError{Code: 1012, Reason: "restart"},
		"no replica answers (refused)": &client.UnreachableError{Host: "a", Err: errors.New("refused")},
		"this replica drains":          &client.Problem{Status: 503, Title: "Service Unavailable", Detail: "this replica drains"},
		"connection lost":              &client.UnreachableError{Host: "a", Asked: true, Err: errors.New("EOF")},
	} {
		if got := lost(err); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}

// TestNoWordsOfPrograms in what people are told.
func TestNoWordsOfPrograms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"is missing; a duration_s may stand in for it":                                  "is missing; a --duration may stand in for it",
		"but given beside it (time_zone)":                                               "but given beside it (--time-zone)",
		"planners are missing; wait_s in the body waits for them":                       "planners are missing; --ask waits for them",
		"must be a time like 2026-12-01T09:00:00Z (RFC 3339), with at most nanoseconds": "must be " + waysOfTime + ", with at most nanoseconds",
		"not an RFC 3339 time such as 2026-12-01T08:00:00Z, with at most nanoseconds":   "not " + waysOfTime + ", with at most nanoseconds",
		"must be a number of seconds from 1 to 900":                                     "must be from 1s to 15m0s",
		"end and duration cannot both be given":                                         "--end and --duration cannot both be given",
		"no room for item my_item":                                                      "no room for item my_item",
	} {
		if got := inFlags(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestFlagsOfFaults(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"$": "", "$.start": "--start", "$.duration_s": "--duration", "$.booking_mode": "--booking-mode",
		"$.selected_instances['gpu-cluster']": "--instance", "$.selected_instances.gpu": "--instance",
		"$.labels['a b']": "--label", "$.catch_up_s": "--catch-up", "n": "-n",
	} {
		if got := flagOf(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
