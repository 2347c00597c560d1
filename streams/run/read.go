package run

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
)

// due does what is due of a schedule or run, because of a timer's message of a revision.
func (s *Service) due(ctx context.Context, id string, fired uint64) error {
	if schedule.OfSchedule.Is(id) {
		return s.dueSchedule(ctx, id, fired)
	}
	key := kv.KeyOf(id)
	last, err := s.fired.Newest(ctx, key)
	if err != nil || last.Revision != fired { // it was handled before, or another one followed
		return err
	}
	err = s.happen(ctx, id, fired, run.Due{})
	if errors.Is(err, kv.ErrNotFound) || errors.Is(err, kv.ErrUndecodable) { // nobody will ever have use for it
		s.cfg.Log.WarnContext(ctx, "a timer is that of no run", "run_id", id, "error", err)
		_, err = s.fired.Swap(ctx, key, fired, kv.Remove(time.Hour))
	}
	return err
}

// dueSchedule begins what is booked, before all that may take longer, and what was booked only now.
func (s *Service) dueSchedule(ctx context.Context, id string, fired uint64) error {
	handled, err := s.begin(ctx, id, fired)
	if handled || err != nil && !errors.Is(err, kv.ErrNotFound) {
		return err
	}
	if err := s.cfg.Schedules.Due(ctx, id, fired); err != nil {
		return err
	}
	if _, err := s.begin(ctx, id, 0); !errors.Is(err, kv.ErrNotFound) {
		return err
	}
	return nil
}

// readTold brings to runs what is told of their executions.
func (s *Service) readTold(ctx context.Context) error {
	return kv.Worker{
		Stream: s.store.Executions.Stream(), Handle: s.told, Log: s.cfg.Log.With("of", "executions"),
		Skip: func(m *nats.Msg) bool { return kv.IsMarker(m.Header) },
	}.Run(ctx)
}

// told brings to a run what its execution says; what nobody can use is not tried again.
func (s *Service) told(ctx context.Context, m *nats.Msg) error {
	var e execution.Execution
	if err := json.Unmarshal(m.Data, &e); err != nil || e.RunID == "" {
		return nil // the view tells of broken ones
	}
	var err error
	if e.State != execution.Ordered { // its node tells that it has come, or else who orders it again
		err = s.Happen(ctx, e.RunID, run.Told(e))
	}
	if err == nil && !e.State.Final() {
		err = s.nodeOf(ctx, e)
	}
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return nil
	case errors.Is(err, kv.ErrUndecodable):
		s.cfg.Log.WarnContext(ctx, "what happened can't be brought to a run", "run_id", e.RunID, "error", err)
		return nil
	}
	return err
}
