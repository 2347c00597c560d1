package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"oc-scheduler/store/schedule"
)

// bookable is a site with 8 GPUs of a peer: workflow wf takes 5 of them, quick one, for 50 ms at least.
func bookable(t *testing.T) *site {
	t.Helper()
	s := startSite(t)
	s.publishPlanner(t, []byte(`{"peer_id":"peer-a","generated_at":"`+time.Now().UTC().Format(time.RFC3339Nano)+`","capacities":{"gpu":{"i0":{"gpus":8}}},"schedule":{}}`))
	s.publishWorkflow(t, []byte(`{"id":"wf","graph":{"items":{"n1":{"compute":{"id":"gpu","peer_id":"peer-a","demand":{"gpus":5}}}}}}`))
	s.publishWorkflow(t, []byte(`{"id":"quick","graph":{"items":{"p":{"processing":{"id":"p","duration_s":0.05}},
		"n1":{"compute":{"id":"gpu","peer_id":"peer-a","demand":{"gpus":1}}}},"links":[{"source":"p","destination":"n1"}]}}`))
	s.publishWorkflow(t, []byte(`{"id":"nobody","graph":{"items":{"n1":{"compute":{"id":"gpu","peer_id":"peer-b"}}}}}`))
	eventually(t, "planner and workflows", func() bool {
		return s.ask(t, "planners", "peer-a").code == exitOK && strings.Count(s.ask(t, "workflows").stdout, "\n") == 4
	})
	return s
}

// tomorrow at an hour, as flags take it.
func tomorrow(hour int) string {
	return time.Now().UTC().Truncate(24 * time.Hour).Add(time.Duration(24+hour) * time.Hour).Format(time.RFC3339)
}

// idIn is the id that a JSON document tells.
func idIn(t *testing.T, got outcome) string {
	t.Helper()
	var doc struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal([]byte(got.stdout), &doc); err != nil || got.code != exitOK {
		t.Fatalf("%+v, %v", got, err)
	}
	return doc.ID
}

// says runs a command line, its words parted by blanks, and looks for its exit code and words in what it prints.
func (s *site) says(t *testing.T, code int, command string, words ...string) {
	t.Helper()
	got := s.ask(t, strings.Fields(command)[0], strings.Fields(command)[1:]...)
	for _, w := range words {
		if got.code != code || !strings.Contains(got.stdout+got.stderr, w) {
			t.Errorf("%s: %d, want %d with %q\n%s%s", command, got.code, code, w, got.stdout, got.stderr)
		}
	}
}

func TestBookingFromTheCommandLine(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	at := tomorrow(9)
	window := " --start " + at + " --duration 1h"
	s.says(t, exitOK, "preview wf"+window, "available", at)
	made := s.ask(t, "schedule", strings.Fields("wf -o json --label team=a=b --preemptible --catch-up 10m"+window)...)
	id := idIn(t, made)
	if !strings.Contains(made.stdout, `"catch_up_s": 600`) {
		t.Errorf("asked for otherwise: %s", made.stdout)
	}
	s.says(t, exitUnavailable, "schedule wf"+window, "wf: unavailable", "gpus", id)
	s.says(t, exitUnavailable, "schedule wf -o json"+window, `"result": {`, `"status": 409`, id)
	s.says(t, exitUnavailable, "hold wf"+window, id)
	s.says(t, exitUnavailable, "preview wf"+window, "unavailable", "CONFLICT", id)
	s.says(t, exitOK, "check wf --preemption"+window, "available")
	s.says(t, exitOK, "schedules", "SCHEDULE", id, "wf", "active", at, "team=a=b", "anonymous")
	s.says(t, exitOK, "schedules --workflow wf --state active --label team=a=b -o json", `"id": "`+id)
	for _, none := range []string{"--workflow quick", "--state paused", "--label team=b"} {
		if got := s.ask(t, "schedules", strings.Fields(none)...); got.code != exitOK || strings.Contains(got.stdout, id) {
			t.Errorf("%s: %+v", none, got)
		}
	}
	s.says(t, exitOK, "schedules "+id, "OCCURRENCE", at, "booked", "peer-a/gpu/i0", "team=a=b")
	s.says(t, exitOK, "schedules pause "+id, "paused")
	s.says(t, exitOK, "schedules resume "+id+" -o json", `"state": "active"`)
	s.says(t, exitOK, "next "+id, at, "booked")
	s.says(t, exitOK, "next "+id+" -o json", `"nominal"`)
	s.says(t, exitOK, "schedules cancel "+id, "schedule "+id+" is cancelled")
	s.says(t, exitOK, "schedules cancel "+id+" -o json", `"state": "cancelled"`)
	s.says(t, exitOK, "schedules "+id, "state     cancelled: it was asked for")
	s.says(t, exitFailure, "schedules pause "+id, "the schedule has ended")
	s.says(t, exitUnknown, "schedule nobody --ask 0s"+window, "nobody: unknown", "missing planners: peer-b")
	s.says(t, exitUnknown, "schedule nobody --ask 0s -o json"+window, `"missing_planners": [`)
	s.says(t, exitUnknown, "preview nobody --ask 1ms"+window, "missing planners: peer-b")
}

func TestRecurringFromTheCommandLine(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	daily := []string{"wf", "--cron", "0 9 * * *", "--time-zone", "Asia/Tokyo", "--duration", "1h"}
	got := s.ask(t, "preview", append(slices.Clone(daily), "-n", "3")...)
	if got.code != exitOK || strings.Count(got.stdout, "T09:00:00+09:00") != 3 {
		t.Errorf("%+v", got)
	}
	id := idIn(t, s.ask(t, "schedule", append(slices.Clone(daily), "--count", "40", "--overlap", "allow", "--gap", "skip", "--ambiguity", "last", "--all-or-nothing", "-o", "json")...))
	if got := s.ask(t, "next", id, "-n", "20"); got.code != exitOK || strings.Count(got.stdout, "T09:00:00+09:00") != 20 {
		t.Errorf("%+v", got)
	}
	s.says(t, exitOK, "schedules pause "+id, "0 9 * * * Asia/Tokyo", "more: oc-scheduler schedules "+id)
	var doc schedule.Schedule
	if err := json.Unmarshal([]byte(s.ask(t, "schedules", id, "-o", "json").stdout), &doc); err != nil {
		t.Fatal(err)
	}
	if got := s.ask(t, "schedules", id); strings.Count(got.stdout, "T09:00:00+09:00") != len(doc.Occurrences) || len(doc.Occurrences) <= fewOccurrences {
		t.Errorf("%d occurrences: %s", len(doc.Occurrences), got.stdout)
	}
	for faults, words := range map[string][]string{
		"schedule wf --cron x --time-zone Europe/paris --gap a --ambiguity b --overlap c --until d --count 0 --duration 1h": {
			"--cron: not a cron expression", "--time-zone: unknown", "--gap: ", "--ambiguity: ", "--overlap: must be", "--until: not", "--count: must be",
		},
		"schedule wf --catch-up 25h --label =x --duration 1h":    {"--catch-up: must be", "--label: a label"},
		"hold wf --ttl 16m --duration 1h":                        {"--ttl: must be"},
		"preview wf -n 0 --duration 1h":                          {"-n: must be"},
		"next " + id + " -n 1001":                                {"-n: must be"},
		"schedules --state x":                                    {"--state: must be"},
		"schedules --label x":                                    {"--label: expected"},
		"schedule wf --ask=-1s":                                  {"--ask: must not be below zero"},
		"schedule wf --duration 1h --start 2020-01-01T00:00:00Z": {"--start: "},
		"schedule nix --duration 1h":                             {`workflow "nix": no such workflow`},
		"schedules s-1":                                          {`schedule "s-1": no such schedule`},
		"schedules pause s-1":                                    {`schedule "s-1": no such schedule`},
		"next s-1":                                               {`schedule "s-1": no such schedule`},
		"confirm s-1":                                            {`hold "s-1": no such`},
	} {
		s.says(t, exitFailure, faults, words...)
	}
}

func TestHoldsFromTheCommandLine(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	window := " --start " + tomorrow(9) + " --duration 1h"
	s.says(t, exitOK, "hold quick"+window, "expires", "oc-scheduler confirm h-", "i0")
	id := idIn(t, s.ask(t, "hold", strings.Fields("wf --ttl 1m -o json"+window)...))
	s.says(t, exitUnavailable, "schedule wf"+window, id)
	s.says(t, exitOK, "confirm "+id+" --label a=b --preemptible --catch-up 0s", "active", "a=b", "booked")
	s.says(t, exitFailure, "confirm "+id, "confirmed before")
	other := idIn(t, s.ask(t, "hold", strings.Fields("wf -o json --duration 1h --start "+tomorrow(11))...))
	s.says(t, exitOK, "schedules cancel "+other, "hold "+other+" is cancelled")
	s.says(t, exitFailure, "confirm "+other, `hold "`+other+`": the hold has ended`)
}

// TestAScheduleIsFollowed until it is over, in words and in JSON.
func TestAScheduleIsFollowed(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	s.says(t, exitOK, "schedule quick --wait --duration 1m", "booked", ": completed\n")
	followed := s.follow(t, "schedule", "quick", "--wait", "-o", "json", "--start", tomorrow(9))
	eventually(t, "it is booked", func() bool { return strings.HasSuffix(followed.shown(), "\n") })
	var made schedule.Schedule
	if err := json.Unmarshal([]byte(followed.shown()), &made); err != nil {
		t.Fatal(err)
	}
	s.says(t, exitOK, "schedules cancel "+made.ID)
	if got := <-followed.end; got.code != exitIncomplete || !strings.Contains(got.stdout, `"state":"cancelled"`) || got.stderr != "" {
		t.Errorf("%+v", got)
	}
}

// TestABookingInDoubt: a replica that was asked to book, and was not heard of again, may have done so.
func TestABookingInDoubt(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer server.Close()
	got := invoke(t, nil, "schedule", "wf", "--server", server.URL)
	if got.code != exitFailure || !strings.Contains(got.stderr, "oc-scheduler schedules --workflow wf") {
		t.Errorf("%+v", got)
	}
	if got := invoke(t, nil, "schedule", "wf", "--server", "127.0.0.1:1"); strings.Contains(got.stderr, "not known") {
		t.Errorf("nobody was asked: %+v", got)
	}
}
