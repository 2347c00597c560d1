package httpapi_test

import (
	"context"
	"time"

	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/run"
)

// stage stands for nodes that run at once what they are ordered to: "wait" until it is cancelled, all else is over
// soon.
type stage struct{ store *store.Store }

// stageNode has each instance offered by a node of its name.
func stageNode(at run.Place) (run.Node, bool) { return run.Node{ID: "node-" + at.InstanceID}, true }

func (stage) Tell(context.Context, string, string, run.Place) error { return nil }

func (s stage) Execute(ctx context.Context, nodeID string, o execution.Order) (execution.Execution, error) {
	ctx = context.WithoutCancel(ctx)
	e := execution.Execution{ExecutionID: o.ExecutionID, NodeID: nodeID, Of: o.Of, State: execution.Ordered, OrderedAt: s.store.Now()}
	if _, err := s.store.Executions.Create(ctx, e); err != nil {
		return e, err
	}
	zero := 0
	told := []execution.Event{{State: execution.Queued}, {State: execution.Running}, {State: execution.Completed, ExitCode: &zero}}
	if o.Command[0] == "wait" {
		told = told[:2]
	}
	for i, v := range told {
		if err := s.tell(ctx, o.ExecutionID, nodeID, uint64(i+1), v); err != nil {
			return e, err
		}
	}
	return e, nil
}

func (s stage) CancelExecution(ctx context.Context, executionID, reason string) error {
	e, err := s.store.Executions.Get(ctx, executionID)
	if err != nil {
		return err
	}
	return s.tell(ctx, executionID, e.NodeID, 9, execution.Event{State: execution.Cancelled, Reason: reason})
}

func (s stage) tell(ctx context.Context, executionID, nodeID string, seq uint64, v execution.Event) error {
	v.EventRef, v.ExecutionID, v.NodeID, v.At = execution.EventRef{Ledger: "l", Sequence: seq}, executionID, nodeID, time.Now()
	return s.store.Executions.Change(ctx, executionID, func(e execution.Execution) (execution.Execution, bool) { return e.Apply(v) })
}
