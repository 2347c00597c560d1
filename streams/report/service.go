package report

import (
	"context"
	"errors"
	"log/slog"

	"oc-scheduler/store/histories"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
)

// Bus is where others hear of it. Both calls return when it is stored there; a failed one may have been heard.
type Bus interface {
	Created(ctx context.Context, datatype string, groups []string, payload []byte, id string) error
	Removed(ctx context.Context, datatype string, groups []string, payload []byte, id string) error
}

// Config is what is told with.
type Config struct {
	Bus       Bus
	Histories *histories.Histories
	Groups    func(workflowID string) []string // those that what hangs on a workflow belongs to; none of one that is gone
	Ready     <-chan struct{}                  // closed when Groups knows all that there are
	Log       *slog.Logger
}

// Service is one replica's part in telling.
type Service struct {
	cfg  Config
	plan *plan.Plan
}

// New is the service of a plan. It acts while Run runs.
func New(p *plan.Plan, cfg Config) *Service { return &Service{cfg, p} }

// Run tells until ctx ends; then it returns nil. It returns kv.ErrUnavailable when the connection was closed for good.
func (s *Service) Run(ctx context.Context) error {
	select {
	case <-s.cfg.Ready:
		return s.plan.OnChange(ctx, s.tell)
	case <-ctx.Done():
		return nil
	}
}

// tell tells of a change. What nobody can read is told of by the views, and left.
func (s *Service) tell(ctx context.Context, c plan.Change) error {
	err := s.of(c.Kind)(ctx, c)
	if errors.Is(err, kv.ErrUndecodable) {
		s.cfg.Log.WarnContext(ctx, "what has become of it can't be told", "key", c.Kind.Prefix+string(c.Key), "error", err)
		return nil
	}
	return err
}

func (s *Service) of(kind kv.Space) func(context.Context, plan.Change) error {
	switch kind {
	case plan.Runs:
		return s.run
	case plan.Schedules:
		return s.schedule
	case plan.Holds:
		return s.hold
	}
	return s.booking
}
