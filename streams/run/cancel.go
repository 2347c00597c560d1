package run

import (
	"context"
	"errors"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/run"
)

// CancelOf cancels the runs of a schedule that wait for their time, and with begun those under way, too. It fails as
// Get does.
func (s *Service) CancelOf(ctx context.Context, scheduleID string, why run.Cancel, begun bool) error {
	r, _, err := s.plan.Schedule(ctx, scheduleID)
	if err != nil {
		return err
	}
	var errs []error
	for _, o := range r.Occurrences {
		if o.RunID == nil || run.State(o.State).Final() {
			continue
		}
		standing, _, err := s.plan.StoredRun(ctx, *o.RunID) // the schedule tells of ends alone
		if err == nil && (standing.State == run.Scheduled || begun) {
			err = s.Happen(ctx, *o.RunID, why)
		}
		if !errors.Is(err, kv.ErrNotFound) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
