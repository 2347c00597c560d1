package main

import (
	"context"
	"regexp"
	"strings"
	"testing"
)

// TestARunIsFollowed through a pipe: a line a change, with its time, and what the step printed that failed.
func TestARunIsFollowed(t *testing.T) {
	t.Parallel()
	s := runnable(t, map[string]string{"bad": "echo doing; printf 'a\\tb\\n'; exit 7"})
	got := s.ask(t, "start", "bad", "--follow")
	const at = `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`
	want := regexp.MustCompile(`(?s)\n` + at + ` step s: running\n.*` + at + ` step s: failed.*\n` +
		`  step s on n1, attempt 1: oc-scheduler logs x-\S+\n  \| doing\n  \| a    b\n.*` + at + ` r-\S+: failed: step failed.*$`)
	if got.code != exitIncomplete || got.stderr != "" || !want.MatchString(got.stdout) {
		t.Errorf("%+v", got)
	}
	if strings.Contains(got.stdout, "\x1b") {
		t.Errorf("escapes in a pipe: %q", got.stdout)
	}
}

// TestARunIsFollowedOnATerminal: what stands there in the end is how it ended, each step once.
func TestARunIsFollowedOnATerminal(t *testing.T) {
	t.Parallel()
	s := runnable(t, map[string]string{"good": "true", "bad": "echo doing; exit 7", "long": "sleep 600"})
	env := map[string]string{"OC_SERVER": s.url}
	_, end := onTerminal(t.Context(), t, env, "start", "good", "-f")
	if got := <-end; got.code != exitOK || got.stderr != "" || strings.Count(got.stdout, "run r-") != 1 ||
		!regexp.MustCompile(`^run r-\S+ of good: completed\n  s  completed   █{20}  \S+ of 10m0s\n$`).MatchString(got.stdout) {
		t.Errorf("%+v", got)
	}
	_, end = onTerminal(t.Context(), t, env, "start", "bad", "-f")
	if got := <-end; got.code != exitIncomplete || !regexp.MustCompile(`^  step s on n1.*\n  \| doing\nrun r-\S+ of bad: failed: .*\n  s  failed      ░{20}  \S+ of 10m0s  .*\n$`).MatchString(got.stdout) {
		t.Errorf("%+v", got)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	on, end := onTerminal(ctx, t, env, "start", "long", "-f")
	eventually(t, "it runs", func() bool { return strings.Contains(on.shows(), "s  running ") })
	interrupt()
	if got := <-end; got.code != exitSignal+2 || !strings.Contains(got.stderr, "interrupted; the run goes on: oc-scheduler runs r-") {
		t.Errorf("%+v", got)
	}
	if got := s.ask(t, "runs", "--workflow", "long"); !strings.Contains(got.stdout, "running") {
		t.Errorf("who left ended the run: %+v", got)
	}
	if coloured := on.raw(); !strings.Contains(coloured, "\x1b[36mrunning") {
		t.Errorf("without colours: %q", coloured)
	}
}

// TestAScheduleIsFollowedToItsFailure: its occurrence tells what its run's step printed.
func TestAScheduleIsFollowedToItsFailure(t *testing.T) {
	t.Parallel()
	s := runnable(t, map[string]string{"bad": "echo doing; exit 7"})
	got := s.ask(t, "schedule", "bad", "--wait", "--start", "now")
	want := regexp.MustCompile(`Z occurrence \S+: failed\n  step s on n1, attempt 1: oc-scheduler logs x-\S+\n  \| doing\n`)
	if got.code != exitIncomplete || got.stderr != "" || !want.MatchString(got.stdout) {
		t.Errorf("%+v", got)
	}
}

// TestACheckIsWatchedOnATerminal: what stands there is the last answer alone.
func TestACheckIsWatchedOnATerminal(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	window := []string{"wf", "--start", tomorrow(9), "--duration", "1h"}
	ctx, interrupt := context.WithCancel(t.Context())
	on, end := onTerminal(ctx, t, map[string]string{"OC_SERVER": s.url}, append([]string{"check", "--watch"}, window...)...)
	eventually(t, "it is available", func() bool { return strings.HasPrefix(on.shows(), "wf: available") })
	if got := s.ask(t, "schedule", window...); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	eventually(t, "it is taken", func() bool { return strings.HasPrefix(on.shows(), "wf: unavailable") })
	interrupt()
	if got := <-end; got.code != exitUnavailable || strings.Contains(got.stdout, "wf: available") || got.stderr != "" {
		t.Errorf("%+v", got)
	}
}
