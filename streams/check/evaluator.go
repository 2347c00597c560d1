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
	asked := question{inputs: booking.Inputs(w, present.digest, present.standing, r.Selected), window: window}
	frame, err := e.answer(w, r, asked, present)
	if asked.hidden = strings.Join(e.source.Hidden(who, frame.owners), "\n"); asked.hidden != "" {
		frame, err = e.answer(w, r, asked, present)
	}
	frame.Stored = stored
	return frame, err
}

// answer is the shared answer to a question.
func (e *evaluator) answer(w *workflow.Workflow, r booking.Request, asked question, present snapshot) (Frame, error) {
	if frame, ok := e.results.Get(asked); ok {
		return frame, nil
	}
	version := asked.version()
	v, err, _ := e.flight.Do(version, func() (any, error) { return e.compute(w, r, asked, present, version) })
	if err != nil {
		return Frame{}, err
	}
	return v.(Frame), nil
}

func (e *evaluator) compute(w *workflow.Workflow, r booking.Request, asked question, present snapshot, version string) (Frame, error) {
	begin := time.Now()
	defer func() { e.metrics.duration.Observe(time.Since(begin).Seconds()) }()
	problem, err := e.problem(w, r, present, asked.inputs)
	if err != nil {
		return Frame{}, err
	}
	result, err := problem.Check(asked.window)
	e.problems.Put(asked.inputs, problem, e.weigh(present))
	if err != nil {
		return Frame{}, err
	}
	result = result.Without(asked.hides())
	result.Version, result.ComputedAt = version, e.now().UTC()
	frame := Frame{Kind: Result, JSON: result.JSON(), Version: version, Missing: len(result.MissingPlanners) > 0, owners: result.Owners()}
	e.results.Put(asked, frame, len(frame.JSON)+recent.Overhead)
	return frame, nil
}

// problem is the shared problem of these inputs.
func (e *evaluator) problem(w *workflow.Workflow, r booking.Request, present snapshot, inputs booking.Digest) (*booking.Problem, error) {
	if p, ok := e.problems.Get(inputs); ok {
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
func (e *evaluator) weigh(s snapshot) (bytes int) {
	for _, p := range s.planners {
		if p == nil {
			continue
		}
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
