package booking

import (
	"context"
	"time"

	"oc-scheduler/store"
	"oc-scheduler/store/booking"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
)

// decide decides on a window, which was placed at a time.
type decide func(ctx context.Context, v *sight, w store.WorkflowRecord, win booking.Window) (*plan.Commit, error)

// try has a request for one window decided until the decision stands.
func (s *Service) try(ctx context.Context, a Asked, r schedule.Request, owner string, f decide) error {
	began := time.Now()
	err := s.inTurn(ctx, a.WorkflowID, func() error { return s.tryNow(ctx, a, r, owner, f) })
	s.metrics.note(began, err)
	return err
}

// inTurn does something when nobody else books at the workflow's peers on this replica. It fails with ErrBusy, and
// as workflow does.
func (s *Service) inTurn(ctx context.Context, workflowID string, do func() error) error {
	w, err := s.workflow(workflowID)
	if err != nil {
		return err
	}
	leave, err := s.turns.take(ctx, w.Peers())
	if err != nil {
		return err
	}
	defer leave()
	return do()
}

func (s *Service) tryNow(ctx context.Context, a Asked, r schedule.Request, owner string, f decide) error {
	return s.plan.Try(ctx, func(ctx context.Context, fresh bool) (*plan.Commit, error) {
		w, err := s.workflow(a.WorkflowID)
		if err == nil {
			err = a.Claim.Check(ctx)
		}
		if err != nil || a.Claim.Before() != "" { // an earlier try was made
			return nil, err
		}
		v := s.look(w.Workflow, r.Selected, owner)
		v.fresh, v.who = fresh, a.Who
		win, err := r.Resolve(w.Workflow, v.now)
		if err == nil {
			err = win.Covers(w.Workflow)
		}
		if err != nil {
			return nil, err
		}
		return f(ctx, v, w, win)
	})
}
