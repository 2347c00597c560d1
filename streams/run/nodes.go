package run

import (
	"context"
	"errors"

	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/run"
	"oc-scheduler/streams/queue"
)

// watchNodes tells runs of nodes that are lost, and of those that are back, until ctx ends. Each replica does so:
// a run is told once of each change.
func (s *Service) watchNodes(ctx context.Context) {
	failures := 0
	for {
		nodeID, ok := s.nodes.Next(ctx)
		if !ok {
			return
		}
		if err := s.nodeChanged(ctx, nodeID); err != nil && ctx.Err() == nil {
			failures++
			s.cfg.Log.WarnContext(ctx, "runs could not be told of a node, trying again", "node_id", nodeID, "error", err)
			s.nodes.AddAfter(nodeID, queue.Delay(failures))
		} else {
			failures = 0
		}
		s.nodes.Done(nodeID)
	}
}

// standing is how a node stands, as far as runs have to do with it. A node that comes back does so in a session of
// its own, so that an absence that this replica has not seen shows all the same.
type standing struct {
	away    bool
	session string
}

// lookAtNodes looks at all nodes that execute something: whoever told runs that one is lost may not have lived to
// tell that it is back.
func (s *Service) lookAtNodes() {
	for _, e := range s.store.Executions.View().All() {
		if e.RunID != "" && !e.State.Final() {
			s.nodes.Add(e.NodeID)
		}
	}
}

// nodeChanged tells all runs that have executions on a node whether it is lost. Those of a node that was removed
// are ended by whoever looks after the nodes.
func (s *Service) nodeChanged(ctx context.Context, nodeID string) error {
	node, known := s.store.Nodes.View().Get(nodeID)
	if !known {
		delete(s.stood, nodeID)
		return nil
	}
	stands := standing{isAway(node), node.Value.Session}
	if was, told := s.stood[nodeID]; told && was == stands {
		return nil
	}
	told := map[string]bool{}
	for _, e := range s.store.Executions.View().All() {
		if e.NodeID != nodeID || e.RunID == "" || e.State.Final() || told[e.RunID] {
			continue
		}
		told[e.RunID] = true
		if err := s.tell(ctx, e.RunID, nodeID, node); err != nil {
			return err
		}
	}
	s.stood[nodeID] = stands
	return nil
}

// nodeOf tells a run of the node of an execution that is away: its loss may have been told before the view showed
// the execution.
func (s *Service) nodeOf(ctx context.Context, e execution.Execution) error {
	node, known := s.store.Nodes.View().Get(e.NodeID)
	if !known || !isAway(node) {
		return nil
	}
	return s.tell(ctx, e.RunID, e.NodeID, node)
}

func (s *Service) tell(ctx context.Context, runID, nodeID string, node kv.Entry[store.NodeRecord]) error {
	seen := run.NodeSeen{NodeID: nodeID, AsOf: node.Revision}
	if isAway(node) {
		seen.LostAt = s.plan.Now()
	}
	err := s.Happen(ctx, runID, seen)
	if errors.Is(err, kv.ErrNotFound) || errors.Is(err, kv.ErrUndecodable) {
		return nil
	}
	return err
}

// isAway says whether nothing comes from a node: it is lost, or said goodbye.
func isAway(node kv.Entry[store.NodeRecord]) bool {
	return node.Value.State == store.NodeLost || node.Value.State == store.NodeGone
}
