package check_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"oc-scheduler/store/access"
	"oc-scheduler/store/booking"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
	"oc-scheduler/streams"
	"oc-scheduler/streams/check"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var nine = time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)

// world is a source that tests change by hand, in the order of the real one: state first, then the signal.
type world struct {
	*streams.Hub
	service  *check.Service
	registry *prometheus.Registry

	mu        sync.Mutex
	loaded    bool
	workflows map[string]*workflow.Workflow
	planners  map[string]*planner.Planner
	bookings  map[string]*planner.Overlay
	stored    map[string]time.Time
	watched   map[string]int // by peer
	dropped   []string       // peers that nobody watched any more, in order
}

func newWorld(now func() time.Time) *world {
	w := &world{
		Hub: streams.NewHub(nil), registry: prometheus.NewRegistry(), loaded: true, workflows: map[string]*workflow.Workflow{},
		planners: map[string]*planner.Planner{}, bookings: map[string]*planner.Overlay{}, stored: map[string]time.Time{}, watched: map[string]int{},
	}
	w.service = check.NewService(w, w.Hub, w, w.registry, now)
	return w
}

func (w *world) Loaded() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.loaded
}

func (w *world) Workflow(id string) (*workflow.Workflow, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	wf, ok := w.workflows[id]
	return wf, ok
}

func (w *world) Planner(peer string) (*planner.Planner, time.Time, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, ok := w.planners[peer]
	return p, w.stored[peer], ok
}

func (w *world) Bookings(peer string) *planner.Overlay {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.bookings[peer]
}

func (w *world) Hidden(*access.Subject, []string) []string { return nil }

// book has an owner take cores of a peer from nine for an hour; none: it gives them back.
func (w *world) book(peer, owner string, cores int) {
	var slots []planner.Slot
	if cores > 0 {
		hour := planner.Interval{Start: nine.UnixNano(), End: nine.Add(time.Hour).UnixNano()}
		slots = []planner.Slot{{Interval: hour, Owner: owner, Usage: []planner.Quantity{{Dimension: "cpu", Amount: planner.Amount(cores) * planner.Unit}}}}
	}
	w.mu.Lock()
	w.bookings[peer] = w.bookings[peer].With(planner.Ref{ResourceID: "r", InstanceID: "i0"}, "oc-"+owner, slots)
	w.mu.Unlock()
	w.BookingsChanged(peer)
}

func (w *world) Watch(peers []string) func() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range peers {
		w.watched[p]++
	}
	return sync.OnceFunc(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, p := range peers {
			if w.watched[p]--; w.watched[p] == 0 {
				delete(w.watched, p)
				w.dropped = append(w.dropped, p)
			}
		}
	})
}

func (w *world) watching() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []string
	for p := range w.watched {
		list = append(list, p)
	}
	slices.Sort(list)
	return list
}

// putWorkflow stores a workflow that needs units cores of each peer; no peers removes it.
func (w *world) putWorkflow(t testing.TB, id string, units int, peers ...string) {
	t.Helper()
	var items []string
	for _, p := range peers {
		items = append(items, fmt.Sprintf(`"n-%s":{"compute":{"id":"r","peer_id":"%s","demand":{"cpu":%d}}}`, p, p, units))
	}
	wf, err := workflow.Decode([]byte(fmt.Sprintf(`{"id":"%s","graph":{"items":{%s}}}`, id, strings.Join(items, ","))))
	if err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	if w.workflows[id] = wf; len(peers) == 0 {
		delete(w.workflows, id)
	}
	w.mu.Unlock()
	w.WorkflowChanged(id)
}

// putPlanner stores a planner with free cores all day; negative removes it.
func (w *world) putPlanner(t testing.TB, peer string, free int) {
	t.Helper()
	p, err := planner.Decode([]byte(fmt.Sprintf(`{"peer_id":"%s","generated_at":"2026-12-01T06:00:00Z","capacities":{"r":{"i0":{"cpu":%d}}}}`, peer, max(free, 0))), nil)
	if err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	if w.planners[peer], w.stored[peer] = p, nine.Add(time.Duration(free)); free < 0 {
		delete(w.planners, peer)
	}
	w.mu.Unlock()
	w.PlannerChanged(peer)
}

func (w *world) open(t testing.TB, id string) *check.Stream {
	t.Helper()
	st, err := w.service.Open(access.Anonymous, id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.Close)
	return st
}

func fixedNow() time.Time { return nine }

func hour() booking.Request { return booking.Request{Start: nine, Duration: time.Hour} }

// next is the next frame; it must be there already or be on its way.
func next(t testing.TB, st *check.Stream) check.Frame {
	t.Helper()
	f, err := st.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return f
}
