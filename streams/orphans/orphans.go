// Package orphans ends schedules whose workflow was removed.
//
// It compares what should be with what is: a schedule that has not ended has a workflow. Each replica does so
// whenever it learns of a removed workflow, or of a schedule without one, and once it has started; so it matters
// neither how a workflow was removed, nor whether whoever removed it lives on, nor that a schedule was booked at that
// moment elsewhere. A schedule ends once, by compare-and-swap, whoever is first.
package orphans

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"

	"oc-scheduler/store"
	"oc-scheduler/store/history"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/run"
	"oc-scheduler/streams/queue"
)

// Schedules end.
type Schedules interface {
	// End frees what has not begun. It does nothing to one that has ended, and fails as store reads do.
	End(ctx context.Context, scheduleID, reason string) error
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
	schedules Schedules
	runs      Runs
	log       *slog.Logger
	workflows *queue.Queue // to be looked at
}

// New is the service of a store. It follows the store's views from now on.
func New(st *store.Store, schedules Schedules, runs Runs, log *slog.Logger) *Service {
	s := &Service{store: st, schedules: schedules, runs: runs, log: log.With("component", "orphans"), workflows: queue.New()}
	st.Workflows.View().OnChange(s.workflows.Add)
	st.Plan.Schedules().OnChange(func(scheduleID string) {
		if e, ok := st.Plan.Schedules().Get(scheduleID); ok && !e.Value.State.Final() && !s.known(e.Value.WorkflowID) {
			s.workflows.Add(e.Value.WorkflowID)
		}
	})
	return s
}

func (s *Service) known(workflowID string) bool {
	_, known := s.store.Workflows.View().Get(workflowID)
	return known
}

// Run ends schedules until ctx ends; then it returns nil. The store's views must be running.
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
			s.log.WarnContext(ctx, "schedules of a removed workflow could not be ended, trying again", "workflow_id", workflowID, "error", err)
			s.workflows.AddAfter(workflowID, queue.Delay(failures))
		} else {
			failures = 0
		}
		s.workflows.Done(workflowID)
	}
}

// reconcile ends the schedules of a workflow that is not there. Runs that wait are cancelled first: of a schedule that
// has ended nobody would think any more.
func (s *Service) reconcile(ctx context.Context, workflowID string) error {
	if s.known(workflowID) {
		return nil
	}
	list := s.of(workflowID)
	if len(list) == 0 {
		return nil
	}
	_, err := s.store.Workflows.Get(ctx, workflowID)
	switch {
	case err == nil, errors.Is(err, kv.ErrUndecodable): // the view is behind; or what is there is broken, but is there
		return nil
	case !errors.Is(err, kv.ErrNotFound):
		return err
	}
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] }) // others are at it, too
	var errs []error
	for _, scheduleID := range list {
		err := s.runs.CancelOf(ctx, scheduleID, run.Cancel{By: history.BySelf, Reason: "its workflow was removed"}, false)
		if errors.Is(err, kv.ErrNotFound) { // forgotten meanwhile
			continue
		}
		if err == nil {
			err = s.schedules.End(ctx, scheduleID, reason)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// of lists the schedules of a workflow that have not ended.
func (s *Service) of(workflowID string) (list []string) {
	for scheduleID, listed := range s.store.Plan.Schedules().All() {
		if listed.WorkflowID == workflowID && !listed.State.Final() {
			list = append(list, scheduleID)
		}
	}
	return list
}
