package run

import (
	"context"

	"oc-scheduler/store/kv"
)

// Timer reads the timer of a run. It fails with kv.ErrNotFound.
func (s *Service) Timer(ctx context.Context, id string) (kv.Message, error) {
	return s.timers.Value(ctx, kv.KeyOf(id))
}
