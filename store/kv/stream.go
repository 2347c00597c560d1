package kv

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"oc-scheduler/jet"
)

// Stream is a stream on the server that holds spaces of keys.
type Stream struct {
	layout    Layout
	replicas  int
	js        jetstream.JetStream
	bound     jetstream.Stream
	log       *slog.Logger
	refusal   jet.Refusal
	metrics   *Metrics
	conflicts prometheus.Counter
	batches   chan struct{} // a token for each that is under way
}

// Config says how streams are opened.
type Config struct {
	Replicas int // of every stream: 1, 3 or 5
	Log      *slog.Logger
}

// Open creates the streams of layouts, or verifies that they are as this program needs them, and reports all
// that is foreign about them at once: it fails with a jet.ForeignError or jet.LayoutError (several are joined),
// with a jet.NoClusterError, and with ErrUnavailable, after which it may be called again.
func Open(ctx context.Context, js jetstream.JetStream, cfg Config, layouts ...Layout) ([]*Stream, error) {
	streams := make([]*Stream, len(layouts))
	var errs []error
	for i, l := range layouts {
		s := &Stream{layout: l, replicas: cfg.Replicas, js: js, log: cfg.Log, batches: make(chan struct{}, batchesAtOnce)}
		s.Measure(NewMetrics(nil))
		bound, err := s.ensure(ctx)
		_, alone := errors.AsType[*jet.NoClusterError](err)
		if alone || errors.Is(err, ErrUnavailable) {
			return nil, err // the others would fail alike
		}
		s.bound = bound
		streams[i], errs = s, append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for _, s := range streams {
		for _, durable := range s.layout.Durables {
			if _, err := ensureConsumer(ctx, s.js, s.Name(), durable); err != nil {
				return nil, err
			}
		}
	}
	return streams, nil
}

func (s *Stream) ensure(ctx context.Context) (jetstream.Stream, error) {
	return ensureStream(ctx, s.js, s.layout.Stream(s.replicas))
}

// Name is the name of the stream on the server.
func (s *Stream) Name() string { return StreamName(s.layout.Bucket) }

// JetStream is what the stream is reached by.
func (s *Stream) JetStream() jetstream.JetStream { return s.js }

// Keys are the keys of a space of the stream.
func (s *Stream) Keys(space Space) *Keys { return &Keys{s, space} }

// Measure has what becomes of the stream and its views counted. It is called before they are used.
func (s *Stream) Measure(m *Metrics) {
	s.metrics, s.conflicts = m, m.conflicts.WithLabelValues(s.layout.Bucket)
}

// Durable returns the durable consumer of a name in the stream's layout, without one the first, and creates it when
// it is missing. It fails as Open does, and with ErrNotFound for one that the layout has not.
func (s *Stream) Durable(ctx context.Context, name string) (jetstream.Consumer, error) {
	for _, durable := range s.layout.Durables {
		if name == "" || durable.Durable == name {
			return ensureConsumer(ctx, s.js, s.Name(), durable)
		}
	}
	return nil, fmt.Errorf("%w: durable %s of %s", ErrNotFound, name, s.Name())
}
