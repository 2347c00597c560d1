package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestListsShowWholeSeconds, in UTC, and a dash for what has not been yet.
func TestListsShowWholeSeconds(t *testing.T) {
	t.Parallel()
	const at = `"2026-11-29T23:36:45.401262435+01:00"`
	for name, list := range map[string]struct {
		row  func(json.RawMessage) ([]any, error)
		item string
		want string
	}{
		"executions": {executionRow, `{"execution_id":"x","node_id":"n","state":"running","command":["sleep","1"],"reason":"no room","ordered_at":` + at + `}`, "x n running sleep 1 2026-11-29T22:36:45Z - - no room"},
		"nodes":      {nodeRow, `{"node_id":"n","membership":"approved","state":"lost","since":` + at + `,"refused":{"at":` + at + `,"reason":"another program"}}`, "n - approved lost - 2026-11-29T22:36:45Z - 2026-11-29T22:36:45Z: another program"},
		"planners":   {plannerRow, `{"peer_id":"p","generated_at":` + at + `,"slots":2}`, "p 2026-11-29T22:36:45Z - 0 2"},
	} {
		cells, err := list.row(json.RawMessage(list.item))
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		table := newTable(&paper{Writer: &text}, "")
		table.row(cells...)
		if err := table.flush(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(strings.Fields(text.String()), " "); got != list.want {
			t.Errorf("%s: %q, want %q", name, got, list.want)
		}
	}
}
