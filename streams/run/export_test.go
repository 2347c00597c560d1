package run

import (
	"context"
	"time"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/run"
)

// Timer reads the timer of a run. It fails with kv.ErrNotFound.
func (s *Service) Timer(ctx context.Context, id string) (kv.Message, error) {
	return s.timers.Value(ctx, kv.KeyOf(id))
}

// Remove removes the record of a run. It fails with kv.ErrConflict.
func (s *Service) Remove(ctx context.Context, id string, revision uint64) error {
	_, err := s.runs.Swap(ctx, kv.KeyOf(id), revision, kv.Remove(time.Hour))
	return err
}

// Fired is the revision of the message of a run's timer that waits to be handled; 0: there is none.
func (s *Service) Fired(ctx context.Context, id string) (uint64, error) {
	m, err := s.fired.Newest(ctx, kv.KeyOf(id))
	if err != nil || !m.Live() {
		return 0, err
	}
	return m.Revision, nil
}

// HappenWith has something happen to a run along with the message of its timer.
func (s *Service) HappenWith(ctx context.Context, id string, fired uint64, what ...run.Event) error {
	return s.happen(ctx, id, fired, what...)
}
