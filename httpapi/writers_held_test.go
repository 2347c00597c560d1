package httpapi_test

import (
	"runtime"
	"testing"
	"time"

	"oc-scheduler/httpapi"
	"oc-scheduler/store/planner"
	"oc-scheduler/streams/check"
)

// stuck is a state in which looking at the planner of peer "stuck" takes until the gate opens, as a
// costly evaluation may.
type stuck struct {
	workflows
	gate chan struct{}
}

func (s stuck) Planner(peerID string) (*planner.Planner, time.Time, bool) {
	if peerID == "stuck" {
		<-s.gate
	}
	return nil, time.Time{}, false
}

// TestCostlyEvaluationsHoldUpNobody: more of them than write at once.
func TestCostlyEvaluationsHoldUpNobody(t *testing.T) {
	t.Parallel()
	s := newBareSite(t, defaults)
	state := stuck{workflowsOf(t, "stuck", "quick"), make(chan struct{})}
	s.Attach(httpapi.Parts{Checks: check.NewService(state, state, state, nil, time.Now)})
	for range 2*runtime.GOMAXPROCS(0) + 1 {
		s.dial(t, "/oc/stuck/check"+inDecember, nil)
	}
	quick := s.dial(t, "/oc/quick/check"+inDecember, nil)
	receive(t, quick)
	send(t, quick, `{"start":"2026-12-03T00:00:00Z","duration_s":60}`)
	receive(t, quick)
	close(state.gate)
}
