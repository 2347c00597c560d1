package run

import (
	"context"
	"errors"

	"oc-scheduler/store"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/run"
	"oc-scheduler/streams/orchestrator"
)

// send sends orders of a record that is stored. What can't be sent now goes out again by the run's timer.
func (s *Service) send(ctx context.Context, r run.Record, out run.Outcome) error {
	id := r.ID
	var never []run.Unsendable
	var sent []string
	for _, o := range out.Start {
		err := s.order(ctx, r.ScheduleID, o)
		switch {
		case err == nil, errors.Is(err, store.ErrExists):
		case errors.Is(err, orchestrator.ErrUnknownNode), errors.Is(err, orchestrator.ErrNotApproved):
			never = append(never, run.Unsendable{ExecutionID: o.Order.ExecutionID, Word: run.NoNode, Sentence: err.Error()})
		case errors.Is(err, kv.ErrTooLarge):
			never = append(never, run.Unsendable{ExecutionID: o.Order.ExecutionID, Word: run.Refused, Sentence: err.Error()})
		default:
			s.cfg.Log.WarnContext(ctx, "an execution could not be ordered, trying again", "run_id", id, "execution_id", o.Order.ExecutionID, "node_id", o.NodeID, "error", err)
		}
	}
	for _, o := range out.Stop {
		err := s.cfg.Orders.CancelExecution(ctx, o.ExecutionID, o.Reason)
		switch {
		case err == nil:
			sent = append(sent, o.ExecutionID)
		case errors.Is(err, kv.ErrNotFound):
			never = append(never, run.Unsendable{ExecutionID: o.ExecutionID, Word: run.NoNode, Sentence: "it was never ordered"})
		default:
			s.cfg.Log.WarnContext(ctx, "an execution could not be ended, trying again", "run_id", id, "execution_id", o.ExecutionID, "node_id", o.NodeID, "error", err)
		}
	}
	var errs []error
	if len(sent) > 0 {
		errs = append(errs, s.Happen(ctx, id, run.Sent{ExecutionIDs: sent}))
	}
	for _, e := range never {
		errs = append(errs, s.Happen(ctx, id, e))
	}
	return errors.Join(errs...)
}

// order orders an execution, once its node has been told of the room in which it runs.
func (s *Service) order(ctx context.Context, scheduleID string, o run.Start) error {
	if scheduleID != "" {
		if err := s.cfg.Rooms.Tell(ctx, o.NodeID, scheduleID, o.On); err != nil {
			return err
		}
	}
	_, err := s.cfg.Orders.Execute(ctx, o.NodeID, o.Order)
	return err
}
