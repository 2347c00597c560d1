package check

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"oc-scheduler/store/access"
	"oc-scheduler/store/booking"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/workflow"
)

var (
	// ErrUnknownWorkflow says that there is no such workflow for who asks.
	ErrUnknownWorkflow = errors.New("unknown workflow")
	errTooSoon         = errors.New("too many requests")
	// ErrWorkflowGone ends a stream whose workflow was removed, or has left the groups of who asks.
	ErrWorkflowGone = errors.New("workflow removed")
	// ErrNotLoaded says that this replica has not read the state yet; try again soon.
	ErrNotLoaded = errors.New("state not loaded yet")
)

// Source is the state that checks are made on.
type Source interface {
	// Loaded reports whether the state has been read completely at least once.
	Loaded() bool
	// Workflow returns the workflow, if there is one.
	Workflow(workflowID string) (*workflow.Workflow, bool)
	// Planner returns a peer's planner, if there is one, and when it was stored.
	Planner(peerID string) (p *planner.Planner, stored time.Time, ok bool)
	// Bookings returns what stands with a peer at this time; nil is nothing.
	Bookings(peerID string) *planner.Overlay
	// Hidden are those of some schedules and holds that are not there for somebody.
	Hidden(who *access.Subject, owners []string) []string
}

// Updates tells of changes of the Source; see streams.Hub.
type Updates interface {
	OnBookingUpdates(peerIDs []string, changed func() (conflated bool)) (cancel func())
	OnPlannerUpdates(peerIDs []string, changed func() (conflated bool)) (cancel func())
	OnWorkflowUpdates(workflowID string, changed func() (conflated bool)) (cancel func())
}

// Demand is told whose planners are wanted. Watch does not block.
type Demand interface {
	Watch(peerIDs []string) (release func())
}

// Service opens streams and answers single checks. It is safe for concurrent use.
type Service struct {
	source    Source
	updates   Updates
	demand    Demand
	evaluator *evaluator
	now       func() time.Time
}

// NewService returns a Service on a source. reg may be nil; now is the clock.
func NewService(source Source, updates Updates, demand Demand, reg prometheus.Registerer, now func() time.Time) *Service {
	return &Service{source: source, updates: updates, demand: demand, evaluator: newEvaluator(source, reg, now), now: now}
}

// Knows reports ErrUnknownWorkflow or ErrNotLoaded of a workflow that cannot be checked, whatever is asked.
func (s *Service) Knows(who *access.Subject, workflowID string) error {
	_, err := s.workflow(who, workflowID)
	return err
}

// Resolve reports, as a fault.List, why the workflow cannot be checked for the request now; or
// ErrUnknownWorkflow or ErrNotLoaded.
func (s *Service) Resolve(who *access.Subject, workflowID string, r booking.Request) error {
	w, err := s.workflow(who, workflowID)
	if err != nil {
		return err
	}
	_, err = r.Resolve(w, s.now())
	return err
}

// Once answers one request from the present state, watching and asking for nothing. Its errors are
// those of Resolve.
func (s *Service) Once(who *access.Subject, workflowID string, r booking.Request) (Frame, error) {
	w, err := s.workflow(who, workflowID)
	if err != nil {
		return Frame{}, err
	}
	return s.evaluator.evaluate(who, w, r, s.now())
}

// Wait acts as a stream that ends with the first result without missing planners; when ctx ends
// first, with the newest result. Before it ends it does something, unless that is nil: planners stay as long as
// somebody watches them. Its errors are those of Resolve, and ErrWorkflowGone.
func (s *Service) Wait(ctx context.Context, who *access.Subject, workflowID string, r booking.Request, then func()) (Frame, error) {
	if err := s.Resolve(who, workflowID, r); err != nil {
		return Frame{}, err
	}
	stream, err := s.Open(who, workflowID)
	if err != nil {
		return Frame{}, err
	}
	defer stream.Close()
	stream.Submit(r)
	newest, err := stream.Next(context.WithoutCancel(ctx)) // is there at once
	for err == nil && newest.Missing {
		var f Frame
		if f, err = stream.Next(ctx); err == nil {
			newest = f
		}
	}
	if ctx.Err() != nil {
		err = nil
	}
	if err == nil && newest.Kind == Fault {
		err = newest.err
	}
	if err == nil && then != nil {
		then()
	}
	return newest, err
}

// workflow is a workflow that is there for who asks.
func (s *Service) workflow(who *access.Subject, workflowID string) (*workflow.Workflow, error) {
	if !s.source.Loaded() { // what is not known to be booked would be offered
		return nil, ErrNotLoaded
	}
	w, ok := s.source.Workflow(workflowID)
	if !ok || !who.Sees(w.Groups()) {
		return nil, ErrUnknownWorkflow
	}
	return w, nil
}
