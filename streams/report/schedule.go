package report

import (
	"context"
	"errors"

	"oc-scheduler/store/history"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
)

// keptInLog is how many items that were passed on a schedule's record may have before they are cut off: each writing of
// the record writes them again, and each cut is one more.
const keptInLog = 128

// schedule tells of a schedule.
func (s *Service) schedule(ctx context.Context, c plan.Change) error {
	if !c.Live() {
		return nil
	}
	r, err := plan.DecodeSchedule(c.Key, c.Message)
	if err != nil {
		return err
	}
	last, err := s.cfg.Histories.Last(ctx, history.OfSchedule, r.ID)
	if err == nil {
		err = s.cfg.Histories.Append(ctx, history.OfSchedule, r.ID, last, r.WorkflowID, r.Log)
	}
	if err != nil || len(r.Log) <= keptInLog {
		return err
	}
	return s.cut(ctx, &r, c.Revision)
}

// cut cuts off what was passed on, unless the record has changed meanwhile: then it is passed on, and cut, again.
func (s *Service) cut(ctx context.Context, r *schedule.Record, revision uint64) error {
	r.Log = r.Log[len(r.Log)-1:]
	err := s.plan.Replace(ctx, r, revision)
	if errors.Is(err, kv.ErrConflict) {
		return nil
	}
	return err
}
