package httpapi_test

import (
	"runtime"
	"testing"
	"time"

	"oc-scheduler/httpapi"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
	"oc-scheduler/streams"
	"oc-scheduler/streams/check"
)

// stuck is a state in which looking at the planner of peer "stuck" takes until the gate opens, as a
// costly evaluation may.
type stuck struct {
	*streams.Hub
	gate      chan struct{}
	workflows map[string]*workflow.Workflow
}

func newStuck(t *testing.T) *stuck {
	t.Helper()
	s := &stuck{streams.NewHub(nil), make(chan struct{}), map[string]*workflow.Workflow{}}
	for _, id := range []string{"stuck", "quick"} {
		w, err := workflow.Decode([]byte(`{"id":"` + id + `","graph":{"items":{"n":{"compute":{"id":"r","peer_id":"` + id + `"}}}}}`))
		if err != nil {
			t.Fatal(err)
		}
		s.workflows[id] = w
	}
	return s
}

func (*stuck) Loaded() bool                    { return true }
func (*stuck) Watch([]string) (release func()) { return func() {} }

func (s *stuck) Workflow(id string) (*workflow.Workflow, bool) {
	w, ok := s.workflows[id]
	return w, ok
}

func (s *stuck) Planner(peerID string) (*planner.Planner, time.Time, bool) {
	if peerID == "stuck" {
		<-s.gate
	}
	return nil, time.Time{}, false
}

// TestCostlyEvaluationsHoldUpNobody: more of them than write at once.
func TestCostlyEvaluationsHoldUpNobody(t *testing.T) {
	t.Parallel()
	s := newBareSite(t, defaults)
	state := newStuck(t)
	s.Attach(httpapi.Parts{Checks: check.NewService(state, state, state, nil, time.Now)})
	for range 2*runtime.GOMAXPROCS(0) + 1 {
		s.dial(t, "/oc/stuck/check"+inDecember, nil)
	}
	quick := s.dial(t, "/oc/quick/check"+inDecember, nil)
	receive(t, quick)
	state.WorkflowChanged("quick")
	send(t, quick, `{"start":"2026-12-03T00:00:00Z","duration_s":60}`)
	receive(t, quick)
	close(state.gate)
}
