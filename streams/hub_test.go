package streams_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
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
	var planners, workflow flag
	cancelPlanners := h.OnPlannerUpdates([]string{"a", "b", "a"}, planners.raise)
	cancelWorkflow := h.OnWorkflowUpdates("a", workflow.raise) // same name, other registry
	defer cancelWorkflow()
	for range 3 {
		h.PlannerChanged("a")
		h.PlannerChanged("b")
	}
	if !planners.lower() {
		t.Error("no signal came")
	}
	if err := testutil.GatherAndCompare(reg, strings.NewReader(`# HELP oc_scheduler_results_conflated_total Changes that found a stream still busy with an earlier one: both are told by one result.
# TYPE oc_scheduler_results_conflated_total counter
oc_scheduler_results_conflated_total 5
`)); err != nil {
		t.Error(err)
	}
	h.PlannerChanged("c")
	if planners.lower() || workflow.lower() {
		t.Error("a signal for what nobody asked about")
	}
	h.WorkflowChanged("a")
	if !workflow.lower() || planners.lower() {
		t.Error("a workflow's signal goes astray")
	}
	cancelPlanners()
	cancelPlanners()
	h.PlannerChanged("a")
	if planners.lower() || h.Watched("a") || h.Watched("b") {
		t.Error("a cancelled subscription lives on")
	}
}

// TestBookingsHaveSubscribersOfTheirOwn, who hear nothing of planners.
func TestBookingsHaveSubscribersOfTheirOwn(t *testing.T) {
	t.Parallel()
	h := streams.NewHub(nil)
	var planners, bookings flag
	defer h.OnPlannerUpdates([]string{"a"}, planners.raise)()
	cancel := h.OnBookingUpdates([]string{"a", "b"}, bookings.raise)
	h.PlannerChanged("a")
	if bookings.lower() || !planners.lower() {
		t.Error("a planner's signal goes astray")
	}
	h.BookingsChanged("c")
	if bookings.lower() {
		t.Error("a signal for what nobody asked about")
	}
	for _, peer := range []string{"a", "b"} {
		if h.BookingsChanged(peer); !bookings.lower() || planners.lower() {
			t.Errorf("no signal came for %s, or another one", peer)
		}
	}
	cancel()
	if h.BookingsChanged("a"); bookings.lower() {
		t.Error("a cancelled subscription lives on")
	}
}

// TestAChannelHoldsOneToken after any number of changes, until it is taken.
func TestAChannelHoldsOneToken(t *testing.T) {
	t.Parallel()
	h := streams.NewHub(nil)
	planners, cancelPlanners := h.SubscribePlannerUpdates([]string{"a", "b"})
	workflow, cancelWorkflow := h.SubscribeWorkflowUpdates("a")
	defer cancelWorkflow()
	for range 3 {
		h.PlannerChanged("a")
		h.PlannerChanged("b")
	}
	if len(planners) != 1 || cap(planners) != 1 || len(workflow) != 0 {
		t.Errorf("%d tokens for planners, %d for the workflow", len(planners), len(workflow))
	}
	<-planners
	h.WorkflowChanged("a")
	h.PlannerChanged("b")
	if len(planners) != 1 || len(workflow) != 1 {
		t.Errorf("%d tokens for planners, %d for the workflow", len(planners), len(workflow))
	}
	<-planners
	cancelPlanners()
	cancelPlanners()
	h.PlannerChanged("a")
	if len(planners) != 0 || h.Watched("a") {
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
		var f flag
		defer h.OnPlannerUpdates(ids, f.raise)()
		pending := false
		for i := range rapid.IntRange(1, 20).Draw(t, "steps") {
			if rapid.Bool().Draw(t, fmt.Sprint("look", i)) {
				if got := f.lower(); got != pending {
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
				var f flag
				cancel := h.OnPlannerUpdates([]string{"a", fmt.Sprint(n)}, f.raise)
				h.PlannerChanged("a")
				if !f.lower() {
					t.Error("subscribed before the change, and not told")
				}
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
		defer h.OnPlannerUpdates([]string{"a"}, new(flag).raise)()
	}
	b.ReportAllocs()
	for b.Loop() {
		h.PlannerChanged("a")
	}
}

// flag is a subscriber that looks when it wants to.
type flag struct{ atomic.Bool }

func (f *flag) raise() (conflated bool) { return f.Swap(true) }

func (f *flag) lower() (raised bool) { return f.Swap(false) }
