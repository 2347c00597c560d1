// Package orphans ends what was booked for workflows that were removed.
//
// It compares what should be with what is: a schedule that has not ended, and a hold, has the workflow that it was made
// for. Each replica does so whenever it learns of a removed workflow, of one that follows a removed one, or of a schedule
// or hold without its own, and once it has started; so it matters neither how a workflow was removed, nor for how long,
// nor whether whoever removed it lives on, nor that something was booked at that moment elsewhere. Each ends once, by
// compare-and-swap, whoever is first.
package orphans

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"oc-scheduler/store"
	"oc-scheduler/store/history"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/queue"
)

// Bookings end. What has ended stays as it is; both fail as store reads do.
type Bookings interface {
	// End frees what has not begun.
	End(ctx context.Context, scheduleID, reason string) error
	ReleaseHold(ctx context.Context, holdID, by string) error
}

// Runs are cancelled.
type Runs interface {
	// CancelOf cancels the runs of a schedule that wait for their time; with begun all of them.
	CancelOf(ctx context.Context, scheduleID string, why run.Cancel, begun bool) error
}

const reason = "workflow removed: what had not begun is freed"

// Service is one replica's part. It acts while Run runs.
type Service struct {
	store     *store.Store
	bookings  Bookings
	runs      Runs
	log       *slog.Logger
	workflows *queue.Queue // to be looked at
}

// New is the service of a store. It follows the store's views from now on.
func New(st *store.Store, bookings Bookings, runs Runs, log *slog.Logger) *Service {
	s := &Service{store: st, bookings: bookings, runs: runs, log: log.With("component", "orphans"), workflows: queue.New()}
	st.Workflows.View().OnChange(s.workflows.Add)
	st.Plan.Schedules().OnChange(func(scheduleID string) {
		if e, ok := st.Plan.Schedules().Get(scheduleID); ok && !e.Value.State.Final() {
			s.look(e.Value.WorkflowID, scheduleID)
		}
	})
	st.Plan.OnHold(func(holdID string) {
		if workflowID, ok := st.Plan.WorkflowOf(holdID); ok {
			s.look(workflowID, holdID)
		}
	})
	return s
}

// look has a workflow looked at if that of a schedule or hold may have been removed.
func (s *Service) look(workflowID, owner string) {
	if e, known := s.store.Workflows.View().Get(workflowID); !known || schedule.MadeAt(owner).Before(e.Value.After) {
		s.workflows.Add(workflowID)
	}
}

// Run ends what it finds until ctx ends; then it returns nil. The store's views must be running.
func (s *Service) Run(ctx context.Context) error {
	defer s.workflows.Stop()
	for _, loaded := range []<-chan struct{}{s.store.Workflows.View().Loaded(), s.store.Plan.Loaded()} {
		select {
		case <-loaded:
		case <-ctx.Done():
			return nil
		}
	}
	failures := 0
	for {
		workflowID, ok := s.workflows.Next(ctx)
		if !ok {
			return nil
		}
		if err := s.reconcile(ctx, workflowID); err != nil && ctx.Err() == nil {
			failures++
			s.log.WarnContext(ctx, "what was booked for a removed workflow could not be ended, trying again", "workflow_id", workflowID, "error", err)
			s.workflows.AddAfter(workflowID, queue.Delay(failures))
		} else {
			failures = 0
		}
		s.workflows.Done(workflowID)
	}
}

// reconcile ends what was booked for a workflow that is not there, or that was removed since.
func (s *Service) reconcile(ctx context.Context, workflowID string) error {
	w, err := s.workflow(ctx, workflowID)
	if err != nil {
		return err
	}
	var errs []error
	for _, owner := range s.suspects(workflowID, w) {
		if err := s.end(ctx, owner, w); !errors.Is(err, kv.ErrNotFound) { // forgotten meanwhile
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// workflow is one as it stands, read past the view where that shows none; nil: there is none.
func (s *Service) workflow(ctx context.Context, workflowID string) (*store.WorkflowRecord, error) {
	e, known := s.store.Workflows.View().Get(workflowID)
	if known {
		return &e.Value, nil
	}
	e, err := s.store.Workflows.Get(ctx, workflowID)
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return nil, nil
	case errors.Is(err, kv.ErrUndecodable): // it is there, whatever it says
		return &store.WorkflowRecord{}, nil
	}
	return &e.Value, err
}

// suspects are the schedules and holds that have not ended, of a workflow that is gone, or from before it.
func (s *Service) suspects(workflowID string, w *store.WorkflowRecord) (list []string) {
	if w != nil && w.After.IsZero() {
		return nil
	}
	for scheduleID, listed := range s.store.Plan.Schedules().All() {
		if listed.WorkflowID == workflowID && !listed.State.Final() {
			list = append(list, scheduleID)
		}
	}
	list = append(list, s.store.Plan.OpenHolds(workflowID)...)
	if w != nil {
		list = slices.DeleteFunc(list, func(owner string) bool { return !schedule.MadeAt(owner).Before(w.After) })
	}
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] }) // others are at it, too
	return list
}

// end ends a schedule or hold, unless it is of the workflow that stands. Runs that wait are cancelled first: of a
// schedule that has ended nobody would think any more.
func (s *Service) end(ctx context.Context, owner string, w *store.WorkflowRecord) error {
	if w != nil {
		after, err := s.after(ctx, owner)
		if err != nil || !w.Outlived(after, schedule.MadeAt(owner)) {
			return err
		}
	}
	if schedule.OfHold.Is(owner) {
		return s.bookings.ReleaseHold(ctx, owner, history.BySelf)
	}
	err := s.runs.CancelOf(ctx, owner, run.Cancel{By: history.BySelf, Reason: "its workflow was removed"}, false)
	if err == nil {
		err = s.bookings.End(ctx, owner, reason)
	}
	return err
}

// after is the removal that the workflow followed for which something was booked.
func (s *Service) after(ctx context.Context, owner string) (time.Time, error) {
	if schedule.OfHold.Is(owner) {
		h, _, err := s.store.Plan.Hold(ctx, owner)
		return h.WorkflowAfter, err
	}
	r, _, err := s.store.Plan.Schedule(ctx, owner)
	return r.WorkflowAfter, err
}
