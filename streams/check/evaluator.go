package check

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/planner"
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
	indexes  *cache[booking.Digest, *planner.Index]
	problems *cache[booking.Digest, *booking.Problem]
	results  *cache[question, Frame]
	flight   singleflight.Group
	metrics  metrics
}

// question is what has one answer.
type question struct {
	inputs booking.Digest
	window booking.Window
}

func newEvaluator(source Source, reg prometheus.Registerer, now func() time.Time) *evaluator {
	return &evaluator{
		source: source, now: now,
		indexes:  newCache[booking.Digest, *planner.Index](indexBytes),
		problems: newCache[booking.Digest, *booking.Problem](problemBytes),
		results:  newCache[question, Frame](resultBytes),
		metrics:  newMetrics(reg),
	}
}

// evaluate answers r, as it was meant at a time, for the present planners and bookings. The error is a fault.List.
func (e *evaluator) evaluate(w *workflow.Workflow, r booking.Request, at time.Time) (Frame, error) {
	window, err := r.Resolve(w, at)
	if err != nil {
		return Frame{}, err
	}
	present, stored := e.look(w)
	asked := question{booking.Inputs(w, present.digest, present.standing, r.Selected), window}
	frame, ok := e.results.get(asked)
	if !ok {
		version := booking.Version(asked.inputs, window)
		v, err, _ := e.flight.Do(version, func() (any, error) { return e.compute(w, r, asked, present, version) })
		if err != nil {
			return Frame{}, err
		}
		frame = v.(Frame)
	}
	frame.Stored = stored
	return frame, nil
}

func (e *evaluator) compute(w *workflow.Workflow, r booking.Request, asked question, present snapshot, version string) (Frame, error) {
	begin := time.Now()
	defer func() { e.metrics.duration.Observe(time.Since(begin).Seconds()) }()
	problem, err := e.problem(w, r, present, asked.inputs)
	if err != nil {
		return Frame{}, err
	}
	result, err := problem.Check(asked.window)
	e.problems.put(asked.inputs, problem, e.weigh(present))
	if err != nil {
		return Frame{}, err
	}
	result.Version, result.ComputedAt = version, e.now().UTC()
	frame := Frame{Kind: Result, JSON: result.JSON(), Version: version, Missing: len(result.MissingPlanners) > 0}
	e.results.put(asked, frame, len(frame.JSON)+frameOverhead)
	return frame, nil
}

// problem is the shared problem of these inputs.
func (e *evaluator) problem(w *workflow.Workflow, r booking.Request, present snapshot, inputs booking.Digest) (*booking.Problem, error) {
	if p, ok := e.problems.get(inputs); ok {
		return p, nil
	}
	return booking.NewProblem(w, func(peerID string) *planner.Index { return e.index(present.of(peerID)) }, r.Selected)
}

// index is the shared index of a planner under bookings; nil of no planner. The newest one of each planner
// is kept: what the next one has in common with it is not built again.
func (e *evaluator) index(p *planner.Planner, bookings *planner.Overlay) *planner.Index {
	if p == nil {
		return nil
	}
	known, ok := e.indexes.get(p.Digest())
	if !ok {
		known = planner.NewIndex(p)
	}
	x := known.With(bookings)
	if !ok || x != known {
		e.indexes.put(p.Digest(), x, int(x.Weight()))
	}
	return x
}

// weigh takes note of how much the indexes of planners have grown by the last question, and returns
// how much a problem holds on to.
func (e *evaluator) weigh(s snapshot) (bytes int) {
	for _, p := range s.planners {
		if p == nil {
			continue
		}
		if x, ok := e.indexes.get(p.Digest()); ok {
			weight := int(x.Weight())
			e.indexes.put(p.Digest(), x, weight)
			bytes += weight
		}
	}
	return bytes
}

// look takes one look at the planners and bookings of a workflow's peers, and when the newest planner was
// stored.
func (e *evaluator) look(w *workflow.Workflow) (s snapshot, newest time.Time) {
	n := len(w.Peers())
	s = snapshot{w.Peers(), make([]*planner.Planner, n), make([]*planner.Overlay, n)}
	for n, peer := range s.peers {
		s.bookings[n] = e.source.Bookings(peer)
		p, stored, ok := e.source.Planner(peer)
		if !ok {
			continue
		}
		s.planners[n] = p
		if stored.After(newest) {
			newest = stored
		}
	}
	return s, newest
}
