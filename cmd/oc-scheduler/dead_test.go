package main

import (
	"strings"
	"testing"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
)

// TestDead shows what came and could not be used.
func TestDead(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	if got := s.ask(t, "dead"); got.code != exitOK || !strings.Contains(got.stderr, "none") {
		t.Errorf("of none: %+v", got)
	}
	if err := s.bus.Publish(events.CreateResource, []byte("no envelope")); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the letter is shown", func() bool {
		got := s.ask(t, "dead")
		return got.code == exitOK && strings.Contains(got.stdout, "CREATE_RESOURCE") && strings.Contains(got.stdout, "11")
	})
	if got := s.ask(t, "dead", "-o", "json", "--limit", "1"); got.code != exitOK || !strings.Contains(got.stdout, `"reason"`) {
		t.Errorf("as JSON: %+v", got)
	}
	if got := s.ask(t, "dead", "--limit", "0"); got.code != exitFailure || !strings.Contains(got.stderr, "1 to 1000") {
		t.Errorf("no limit: %+v", got)
	}
}
