package demand

import (
	"context"
	"errors"
	"fmt"

	"oc-scheduler/events"
	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/planner"
	"oc-scheduler/store/planners"
	"oc-scheduler/store/workflow"
)

var _ events.Handler = (*Service)(nil)

// PlannerPublished implements events.Handler: the planner is stored, unless a newer one is.
func (s *Service) PlannerPublished(ctx context.Context, a events.Arrival, raw []byte) error {
	if len(raw) > planners.MaxBytes {
		return events.Reject(events.ReasonTooLarge, "a planner of %d bytes, at most %d are stored", len(raw), planners.MaxBytes)
	}
	p, err := planner.Decode(raw, nil)
	if err != nil {
		return events.Reject(events.ReasonInvalidPlanner, "%v", err)
	}
	if s.composer.HasNodes(p.PeerID()) {
		if s.ignored.first(p.PeerID()) {
			s.log.WarnContext(ctx, "somebody publishes planners of a peer that has nodes; they are ignored", "peer_id", p.PeerID())
		}
		return fmt.Errorf("planner of %q, which has nodes: %w", p.PeerID(), events.ErrIgnored)
	}
	outcome, err := s.store.Planners.Apply(ctx, raw, p, source(a))
	if err != nil {
		return passing(err)
	}
	s.log.DebugContext(ctx, "planner received", "peer_id", p.PeerID(), "outcome", outcome.String())
	switch outcome {
	case origin.Stored:
		return passing(s.received(ctx, p.PeerID()))
	case origin.Late:
		return passing(s.missed(ctx, p.PeerID()))
	}
	return nil // it answers nobody's request
}

// PlannerAsked implements events.Handler: of a peer that has nodes, and any of them there, the planner is told; of
// others somebody else knows.
func (s *Service) PlannerAsked(ctx context.Context, a events.Arrival, peerID string) error {
	select {
	case <-s.composer.Ready():
	default:
		return fmt.Errorf("%w: the nodes are not known yet", events.ErrAway)
	}
	c, err := s.composer.Planner(peerID)
	if err != nil || c == nil {
		return err
	}
	id := fmt.Sprintf("answer-%d-%d", a.Bus.UnixNano(), a.Seq)
	if a.Again {
		if said, err := s.emitter.Said(ctx, id, a.Time); err != nil || said {
			return passing(err)
		}
	}
	s.log.DebugContext(ctx, "planner of a peer that has nodes told to who asked", "peer_id", peerID)
	return s.emitter.AnswerPlanner(ctx, c.JSON, id)
}

// WorkflowCreated implements events.Handler: the workflow is stored, unless a newer one is, and the
// planners that it needs and nobody has are asked for.
func (s *Service) WorkflowCreated(ctx context.Context, a events.Arrival, raw []byte) error {
	w, err := workflow.Decode(raw)
	if err != nil {
		return events.Reject(events.ReasonInvalidWorkflow, "%v", err)
	}
	if raw, err = workflow.WithGroups(raw, access.GroupsOf(a.Groups)); err != nil {
		return events.Reject(events.ReasonInvalidWorkflow, "groups: %v", err)
	}
	outcome, err := s.store.Workflows.Apply(ctx, raw, w, source(a))
	if err != nil {
		return passing(err)
	}
	s.log.DebugContext(ctx, "workflow received", "workflow_id", w.ID(), "outcome", outcome.String())
	return passing(s.requestMissing(ctx, w.Peers()))
}

// WorkflowRemoved implements events.Handler.
func (s *Service) WorkflowRemoved(ctx context.Context, a events.Arrival, workflowID string) error {
	_, err := s.store.Workflows.Remove(ctx, workflowID, source(a))
	return passing(err)
}

// passing tells the bus which errors are an outage's.
func passing(err error) error {
	if errors.Is(err, kv.ErrUnavailable) {
		return fmt.Errorf("%w: %w", events.ErrAway, err)
	}
	return err
}

func source(a events.Arrival) origin.Source {
	return origin.Source{Seq: a.Seq, Time: a.Time, Bus: a.Bus}
}
