package run

import (
	"context"
	"errors"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/run"
	"oc-scheduler/streams/orchestrator"
)

// sendAtOnce is how many orders of a turn are on their way at a time.
const sendAtOnce = 16

// send sends orders of a record that is stored. What can't be sent now goes out again by the run's timer.
func (s *Service) send(ctx context.Context, r run.Record, out run.Outcome) error {
	happened := make([]run.Event, len(out.Start)+len(out.Stop))
	lacks := s.tellRooms(ctx, r.ScheduleID, out.Start)
	var g errgroup.Group // what fails is no reason to leave the others
	g.SetLimit(sendAtOnce)
	for i, o := range out.Start {
		g.Go(func() error { happened[i] = s.start(ctx, r.ID, o, lacks[roomOf(o)]); return nil })
	}
	_ = g.Wait()
	for i, o := range out.Stop {
		g.Go(func() error { happened[len(out.Start)+i] = s.stop(ctx, r.ID, o); return nil })
	}
	_ = g.Wait()
	if ctx.Err() != nil {
		s.cfg.Log.WarnContext(ctx, "not all orders could be sent in time, trying again", "run_id", r.ID, "orders", len(happened), "error", ctx.Err())
	}
	if happened = slices.DeleteFunc(happened, func(e run.Event) bool { return e == nil }); len(happened) == 0 {
		return nil
	}
	return s.happen(ctx, r.ID, 0, happened...)
}

// room is where executions are ordered to run.
type room struct {
	nodeID string
	at     run.Place
}

func roomOf(o run.Start) room { return room{o.NodeID, o.On} }

// tellRooms tells nodes of the rooms in which they are about to execute something, each once, and says where that
// failed. What is of no schedule has none.
func (s *Service) tellRooms(ctx context.Context, scheduleID string, starts []run.Start) map[room]error {
	lacks := map[room]error{}
	if scheduleID == "" {
		return lacks
	}
	for _, o := range starts {
		lacks[roomOf(o)] = nil
	}
	rooms := slices.Collect(maps.Keys(lacks))
	errs := make([]error, len(rooms))
	var g errgroup.Group
	g.SetLimit(sendAtOnce)
	for i, r := range rooms {
		g.Go(func() error { errs[i] = s.cfg.Rooms.Tell(ctx, r.nodeID, scheduleID, r.at); return nil })
	}
	_ = g.Wait()
	for i, r := range rooms {
		lacks[r] = errs[i]
	}
	return lacks
}

// start orders an execution, unless its node lacks the room. What follows for the run is returned; nil: nothing.
func (s *Service) start(ctx context.Context, runID string, o run.Start, err error) run.Event {
	if err == nil {
		_, err = s.cfg.Orders.Execute(ctx, o.NodeID, o.Order)
	}
	switch {
	case err == nil:
	case errors.Is(err, store.ErrExists): // the order is on record: it comes
		return run.Executed{ExecutionID: o.Order.ExecutionID, NodeID: o.NodeID, State: execution.Ordered}
	case errors.Is(err, orchestrator.ErrUnknownNode), errors.Is(err, orchestrator.ErrNotApproved):
		return run.Unsendable{ExecutionID: o.Order.ExecutionID, Word: run.NoNode, Sentence: err.Error()}
	case errors.Is(err, kv.ErrTooLarge):
		return run.Unsendable{ExecutionID: o.Order.ExecutionID, Word: run.Refused, Sentence: err.Error()}
	default:
		s.later(ctx, "an execution could not be ordered, trying again", runID, o.Order.ExecutionID, o.NodeID, err)
	}
	return nil
}

// stop orders an execution to end, likewise.
func (s *Service) stop(ctx context.Context, runID string, o run.Stop) run.Event {
	err := s.cfg.Orders.CancelExecution(ctx, o.ExecutionID, o.Reason)
	switch {
	case err == nil:
		return run.Sent{ExecutionIDs: []string{o.ExecutionID}}
	case errors.Is(err, kv.ErrNotFound):
		return run.Unsendable{ExecutionID: o.ExecutionID, End: true, Word: run.NoNode, Sentence: "it was never ordered"}
	}
	s.later(ctx, "an execution could not be ended, trying again", runID, o.ExecutionID, o.NodeID, err)
	return nil
}

// later tells of an order that is tried again; of those that had no time all is told at once.
func (s *Service) later(ctx context.Context, what, runID, executionID, nodeID string, err error) {
	if ctx.Err() == nil {
		s.cfg.Log.WarnContext(ctx, what, "run_id", runID, "execution_id", executionID, "node_id", nodeID, "error", err)
	}
}
