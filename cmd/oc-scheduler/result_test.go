package main

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

const takenAnswer = `{"type":"result","workflow_id":"wf-1","version":"v","status":"unavailable","available":false,
 "preemptible":false,"start":"2026-12-01T09:00:00Z","end":"2026-12-01T10:00:00Z",
 "next_slot":{"start":"2026-12-01T11:00:00.5Z","end":"2026-12-01T12:00:00.5Z"},
 "resources":[{"item_id":"n2","kind":"compute","resource_id":"gpu","peer_id":"peer-a","instance_id":null,
  "status":"unavailable","conflicts":[{"start":"2026-12-01T09:00:00Z","end":"2026-12-01T09:30:00Z",
  "dimension":"ram_gb","requested":32,"free":16.5,"by":[{"hold_id":"h-1"},{"planner":true},{"schedule_id":"s-1"}]}]}],
 "missing_planners":["peer-b"],"warnings":["odd \u001b[2J"],"computed_at":"2026-12-01T08:00:00Z"}`

func TestResultTable(t *testing.T) {
	t.Parallel()
	var r result
	if err := json.Unmarshal([]byte(takenAnswer), &r); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.print(&paper{Writer: &b}); err != nil {
		t.Fatal(err)
	}
	want := `wf-1: unavailable from 2026-12-01T09:00:00Z to 2026-12-01T10:00:00Z (1h0m0s)
next slot: from 2026-12-01T11:00:00.5Z to 2026-12-01T12:00:00.5Z
missing planners: peer-b
warning: odd �[2J
ITEM  KIND     RESOURCE  PEER    INSTANCE  STATUS
n2    compute  gpu       peer-a  -         unavailable
CONFLICT  FROM                  UNTIL                 DIMENSION  REQUESTED  FREE  BY
n2        2026-12-01T09:00:00Z  2026-12-01T09:30:00Z  ram_gb     32         16.5  h-1, planner, s-1
`
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for want, r := range map[int]result{
		exitOK:          {Status: "available", Available: true},
		exitUnavailable: {Status: "unavailable"},
		exitUnknown:     {Status: "unknown"},
	} {
		if got := codeOf(r.exit()); got != want {
			t.Errorf("%s: exit code %d, want %d", r.Status, got, want)
		}
	}
	preempted := result{Status: "unavailable", Available: true, Preemptible: true}
	if got := codeOf(preempted.exit()); got != exitOK {
		t.Errorf("preemptible: exit code %d, want 0", got)
	}
}

func codeOf(err error) int {
	if exit, ok := errors.AsType[*exitError](err); ok {
		return exit.code
	}
	return exitOK
}
