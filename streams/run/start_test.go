package run_test

import (
	"sync"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/run"
)

// TestStart makes one run, whoever starts it, and though its time comes meanwhile.
func TestStart(t *testing.T) {
	t.Parallel()
	server, n := natstest.Start(t), newNodes()
	a, b := newReplica(t, server, n, 1), newReplica(t, server, n, 1)
	for _, r := range []*replica{a, b} {
		natstest.Run(t, r.Run)
	}
	s := a.scheduled(t, a.st.Now().Add(50*time.Millisecond))
	var all sync.WaitGroup
	started := make([]run.Record, 8)
	for i := range started {
		all.Go(func() {
			var err error
			if started[i], err = []*replica{a, b}[i%2].Start(t.Context(), s.ID); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, r := range started {
		if r.ID != started[0].ID || r.ScheduleID != s.ID {
			t.Errorf("run %s of schedule %s, and run %s", r.ID, r.ScheduleID, started[0].ID)
		}
	}
	if r := a.ended(t, started[0].ID); r.State != run.Completed {
		t.Errorf("%s %s", r.State, r.Reason)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.ordered) != 1 {
		t.Errorf("%v", n.ordered)
	}
}
