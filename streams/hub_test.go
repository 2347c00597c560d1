package streams_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"oc-scheduler/streams"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSignalsCoalesceAndStop(t *testing.T) {
	t.Parallel()
	reg := prometheus.NewRegistry()
	h := streams.NewHub(reg)
	planners, cancelPlanners := h.SubscribePlannerUpdates([]string{"a", "b", "a"})
	workflow, cancelWorkflow := h.SubscribeWorkflowUpdates("a") // same name, other registry
	defer cancelWorkflow()
	for range 3 {
		h.PlannerChanged("a")
		h.PlannerChanged("b")
	}
	if got := drain(planners); got != 1 {
		t.Errorf("%d signals waited, want 1", got)
	}
	if err := testutil.GatherAndCompare(reg, strings.NewReader(`# HELP oc_scheduler_results_conflated_total Changes that found a stream still busy with an earlier one: both are told by one result.
# TYPE oc_scheduler_results_conflated_total counter
oc_scheduler_results_conflated_total 5
`)); err != nil {
		t.Error(err)
	}
	h.PlannerChanged("c")
	if got := drain(planners) + drain(workflow); got != 0 {
		t.Errorf("%d signals for what nobody asked about", got)
	}
	h.WorkflowChanged("a")
	if got := drain(workflow); got != 1 {
		t.Errorf("workflow subscriber got %d signals", got)
	}
	cancelPlanners()
	cancelPlanners()
	h.PlannerChanged("a")
	if drain(planners) != 0 || h.Watched("a") || h.Watched("b") {
		t.Error("a cancelled subscription lives on")
	}
}

// TestNoSignalIsLost: whatever the order of subscribing, signalling and looking, a change after the
// last look leaves a signal, and nothing else does.
func TestNoSignalIsLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := streams.NewHub(nil)
		ids := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 1, 3).Draw(t, "ids")
		ch, cancel := h.SubscribePlannerUpdates(ids)
		defer cancel()
		pending := false
		for i := range rapid.IntRange(1, 20).Draw(t, "steps") {
			if rapid.Bool().Draw(t, fmt.Sprint("look", i)) {
				if got := drain(ch) == 1; got != pending {
					t.Fatalf("signal waiting: %v, want %v", got, pending)
				}
				pending = false
				continue
			}
			id := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "id")
			h.PlannerChanged(id)
			for _, want := range ids {
				pending = pending || want == id
			}
		}
	})
}

func TestSubscribeSignalCancelRace(t *testing.T) {
	t.Parallel()
	h := streams.NewHub(nil)
	var wg sync.WaitGroup
	for n := range 50 {
		wg.Go(func() {
			for range 200 {
				ch, cancel := h.SubscribePlannerUpdates([]string{"a", fmt.Sprint(n)})
				h.PlannerChanged("a")
				<-ch // must be there: we subscribed before the change
				cancel()
			}
		})
	}
	wg.Wait()
	if h.Watched("a") {
		t.Error("subscriptions left over")
	}
}

func BenchmarkSignal1000(b *testing.B) {
	h := streams.NewHub(nil)
	for range 1000 {
		_, cancel := h.SubscribePlannerUpdates([]string{"a"})
		defer cancel()
	}
	b.ReportAllocs()
	for b.Loop() {
		h.PlannerChanged("a")
	}
}

func drain(ch <-chan struct{}) (n int) {
	for {
		select {
		case <-ch:
			n++
		default:
			return n
		}
	}
}
