package kv

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/nats-io/nats.go/jetstream"
)

// Bind reaches the stream of a layout as it stands: it neither makes nor judges it. It fails with ErrNotFound
// when there is none, and with ErrUnavailable.
func Bind(ctx context.Context, js jetstream.JetStream, l Layout, log *slog.Logger) (*Stream, error) {
	attempt, cancel := context.WithTimeout(ctx, AttemptTimeout)
	defer cancel()
	bound, err := js.Stream(attempt, StreamName(l.Bucket))
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return nil, fmt.Errorf("bucket %s: %w", l.Bucket, ErrNotFound)
	case err != nil:
		return nil, ensured(ctx, "bucket "+l.Bucket, err)
	}
	s := &Stream{layout: l, replicas: bound.CachedInfo().Config.Replicas, js: js, bound: bound, log: log}
	s.Measure(NewMetrics(nil))
	return s, nil
}
