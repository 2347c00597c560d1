package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestFollowingOverBrokenConnections: each change is told once, however often the connection breaks between.
func TestFollowingOverBrokenConnections(t *testing.T) {
	t.Parallel()
	const made = `{"id":"r-1","workflow_id":"wf","state":"scheduled","steps":[{"item_id":"s","state":"waiting"}]}`
	transition := func(seq int, item, to string) string {
		return fmt.Sprintf("event: transition\nid: %d\ndata: {\"seq\":%d,\"at\":\"2026-12-01T00:00:0%dZ\",\"item_id\":%q,\"to\":%q}\n\n", seq, seq, seq, item, to)
	}
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			w.WriteHeader(http.StatusCreated)
			_, _ = fmt.Fprint(w, made)
			return
		}
		switch last := r.Header.Get("Last-Event-ID"); calls.Add(1) {
		case 1:
			_, _ = fmt.Fprint(w, ":\n\nevent: state\nid: 1\ndata: "+made+"\n\n"+transition(2, "", "starting")+"event: transition\nid: 3\nda")
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 3:
			if last != "2" {
				t.Errorf("goes on after %q, not 2", last)
			}
			_, _ = fmt.Fprint(w, transition(3, "s", "running"))
		case 4: // what was missed is not kept any more
			_, _ = fmt.Fprint(w, "event: state\nid: 6\ndata: "+strings.NewReplacer("scheduled", "running", "waiting", "completed").Replace(made)+"\n\n"+
				transition(7, "", "completed"))
		}
	}))
	defer server.Close()
	got := invoke(t, nil, "start", "wf", "-f", "--server", server.URL)
	var changes []string
	for line := range strings.Lines(got.stdout) {
		if at, what, _ := strings.Cut(line, " "); strings.HasSuffix(at, "Z") {
			changes = append(changes, strings.TrimSpace(what))
		}
	}
	want := "r-1: starting|step s: running|step s: completed|r-1: running|r-1: completed"
	if strings.Join(changes, "|") != want || got.code != exitOK || strings.Count(got.stderr, "trying again\n") != strings.Count(got.stderr, "\n") {
		t.Errorf("%s, want %s\n%+v", strings.Join(changes, "|"), want, got)
	}
}

// TestBarsKeepToThePlan: a bar is full when the planned time is over, whatever then still runs.
func TestBarsKeepToThePlan(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	at := func(s float64) time.Time { return begin.Add(time.Duration(s * float64(time.Second))) }
	for name, tc := range map[string]struct {
		part part
		now  time.Time
		full int
		says string
	}{
		"waits":          {part{state: "waiting", begin: at(60), end: at(180)}, at(0), 0, "in 1m0s for 2m0s"},
		"runs":           {part{state: "running", begin: at(0), end: at(40), began: at(10)}, at(20), 5, "10s of 40s"},
		"runs too long":  {part{state: "running", begin: at(0), end: at(10), began: at(0)}, at(14.2), 20, "14s of 10s, 4.2s over"},
		"has ended":      {part{state: "failed", reason: "why", begin: at(0), end: at(10), began: at(1), ended: at(3.5)}, at(99), 5, "2.5s of 10s  why"},
		"was quick":      {part{state: "completed", begin: at(0), end: at(10), began: at(0), ended: at(1)}, at(99), 20, "1s of 10s"},
		"was not needed": {part{state: "cancelled", begin: at(60), end: at(70)}, at(0), 0, ""},
		"has no plan":    {part{state: "running", began: at(0)}, at(5), 0, "5s"},
	} {
		if got := tc.part.timing(tc.now); got != tc.says {
			t.Errorf("%s: %q, want %q", name, got, tc.says)
		}
		if got := bar(tc.part.share(tc.now)); strings.Count(got, "█") != tc.full || strings.Count(got, "░") != barWidth-tc.full {
			t.Errorf("%s: %s, want %d", name, got, tc.full)
		}
	}
}

// TestWhatHasNoRoom on the terminal is counted; what happens now is shown.
func TestWhatHasNoRoom(t *testing.T) {
	t.Parallel()
	s := &course{kind: "run", id: "r", workflow: "wf", state: "running"}
	for i, state := range []string{"completed", "completed", "running", "waiting", "waiting", "failed"} {
		s.parts = append(s.parts, &part{name: fmt.Sprint("s", i), state: state})
	}
	for most, want := range map[int]string{
		6: "s0 s1 s2 s3 s4 s5", 3: "s2 s3 s5 and 2 completed, 1 waiting", 1: "s2 and 2 completed, 1 failed, 2 waiting", -1: "and 2 completed, 1 failed, 1 running, 2 waiting",
	} {
		var got []string
		for _, line := range s.progress(time.Now(), false, most)[1:] {
			if strings.HasPrefix(line, "  and ") {
				got = append(got, strings.TrimSpace(line))
			} else {
				got = append(got, strings.Fields(line)[0])
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%d: %q, want %q", most, strings.Join(got, " "), want)
		}
	}
}

// TestTheLastVersionComes though the replica does not answer at once.
func TestTheLastVersionComes(t *testing.T) {
	t.Parallel()
	doc := func(state string) string { return `{"id":"r-1","workflow_id":"wf","state":"` + state + `","steps":[]}` }
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			w.WriteHeader(http.StatusCreated)
			_, _ = fmt.Fprint(w, doc("scheduled"))
		case strings.HasSuffix(r.URL.Path, "/events"):
			_, _ = fmt.Fprint(w, "event: transition\nid: 2\ndata: {\"seq\":2,\"to\":\"failed\"}\n\n")
		case asked.Add(1) == 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			_, _ = fmt.Fprint(w, doc("failed"))
		}
	}))
	defer server.Close()
	if got := invoke(t, nil, "start", "wf", "-f", "-o", "json", "--server", server.URL); got != (outcome{exitIncomplete, doc("scheduled") + "\n" + doc("failed") + "\n", ""}) {
		t.Errorf("%+v", got)
	}
}
