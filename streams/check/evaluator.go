package check

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"oc-scheduler/store/access"
	"oc-scheduler/store/booking"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/recent"
	"oc-scheduler/store/workflow"
)

// Bounds of what the evaluator keeps, in bytes as estimated.
const (
	indexBytes   = 128 << 20
	problemBytes = 128 << 20
	resultBytes  = 32 << 20
)

// evaluator answers requests, each distinct question once: planner indexes are shared by the
// problems on them, problems by the windows asked of them, results by the streams that ask the same.
type evaluator struct {
	source   Source
	now      func() time.Time
	indexes  *recent.Cache[booking.Digest, *planner.Index]
	problems *recent.Cache[booking.Digest, *booking.Problem]
	results  *recent.Cache[question, Frame]
	flight   singleflight.Group
	metrics  metrics
}

func newEvaluator(source Source, reg prometheus.Registerer, now func() time.Time) *evaluator {
	return &evaluator{
		source: source, now: now,
		indexes:  recent.NewCache[booking.Digest, *planner.Index](indexBytes),
		problems: recent.NewCache[booking.Digest, *booking.Problem](problemBytes),
		results:  recent.NewCache[question, Frame](resultBytes),
		metrics:  newMetrics(reg),
	}
}

// evaluate answers r, as it was meant at a time, for the present planners and bookings, as far as who asks may know.
// The error is a fault.List.
func (e *evaluator) evaluate(who *access.Subject, w *workflow.Workflow, r booking.Request, at time.Time) (Frame, error) {
	window, err := r.Resolve(w, at)
	if err != nil {
		return Frame{}, err
	}
	present, stored := e.look(w)
	asked := question{inputs: present.Inputs(r.Selected), window: window}
	frame, err := e.answer(r.Selected, asked, present)
	if asked.hidden = strings.Join(e.source.Hidden(who, frame.owners), "\n"); asked.hidden != "" {
		frame, err = e.answer(r.Selected, asked, present)
	}
	frame.Stored = stored
	return frame, err
}

// answer is the shared answer to a question.
func (e *evaluator) answer(selected map[string]string, asked question, present booking.State) (Frame, error) {
	if frame, ok := e.results.Get(asked); ok {
		return frame, nil
	}
	v, err, _ := e.flight.Do(asked.version(), func() (any, error) { return e.compute(selected, asked, present) })
	if err != nil {
		return Frame{}, err
	}
	return v.(Frame), nil
}

func (e *evaluator) compute(selected map[string]string, asked question, present booking.State) (Frame, error) {
	begin := time.Now()
	defer func() { e.metrics.duration.Observe(time.Since(begin).Seconds()) }()
	problem, err := e.problem(selected, present, asked.inputs)
	if err != nil {
		return Frame{}, err
	}
	result, err := problem.Answer(asked.inputs, asked.window, e.now())
	e.problems.Put(asked.inputs, problem, e.weigh(present))
	if err != nil {
		return Frame{}, err
	}
	result = result.Without(asked.hides())
	frame := Frame{Kind: Result, JSON: result.JSON(), Version: result.Version, Missing: len(result.MissingPlanners) > 0, owners: result.Owners()}
	e.results.Put(asked, frame, len(frame.JSON)+recent.Overhead)
	return frame, nil
}

// problem is the shared problem of these inputs.
func (e *evaluator) problem(selected map[string]string, present booking.State, inputs booking.Digest) (*booking.Problem, error) {
	if p, ok := e.problems.Get(inputs); ok {
		return p, nil
	}
	return present.Problem(selected, e.index)
}

// index is the shared index of a planner under bookings. The newest one of each planner
// is kept: what the next one has in common with it is not built again.
func (e *evaluator) index(p *planner.Planner, bookings *planner.Overlay) *planner.Index {
	known, ok := e.indexes.Get(p.Digest())
	if !ok {
		known = planner.NewIndex(p)
	}
	x := known.With(bookings)
	if !ok || x != known {
		e.indexes.Put(p.Digest(), x, int(x.Weight()))
	}
	return x
}

// weigh takes note of how much the indexes of planners have grown by the last question, and returns
// how much a problem holds on to.
func (e *evaluator) weigh(s booking.State) (bytes int) {
	for _, p := range s.Planners() {
		if x, ok := e.indexes.Get(p.Digest()); ok {
			weight := int(x.Weight())
			e.indexes.Put(p.Digest(), x, weight)
			bytes += weight
		}
	}
	return bytes
}

// look takes one look at the planners and bookings of a workflow's peers, and when the newest planner was
// stored.
func (e *evaluator) look(w *workflow.Workflow) (s booking.State, newest time.Time) {
	s = booking.Look(w, func(peerID string) (*planner.Planner, *planner.Overlay) {
		bookings := e.source.Bookings(peerID)
		p, stored, ok := e.source.Planner(peerID)
		if !ok {
			return nil, bookings
		}
		if stored.After(newest) {
			newest = stored
		}
		return p, bookings
	})
	return s, newest
}
