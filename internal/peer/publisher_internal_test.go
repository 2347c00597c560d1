package peer

import (
	"log/slog"
	"strings"
	"testing"

	"oc-scheduler/streams/watcher"
)

// TestWhatTheLogSaysOfAPlanner: once of each change, in words that are true by themselves.
func TestWhatTheLogSaysOfAPlanner(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	p := &publisher{store: watcher.NewMemoryStore(), log: slog.New(slog.NewTextHandler(&log, nil))}
	for _, wanted := range []bool{false, true, true, false} {
		p.want(t.Context(), wanted)
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `msg="planner wanted on the bus"`) || !strings.Contains(lines[1], `msg="planner no longer wanted"`) {
		t.Errorf("%s", log.String())
	}
}
