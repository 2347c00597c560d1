package kv

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
)

const (
	// inFlight and inFlightBytes are what may be on its way to a view. The largest message must fit:
	// a server stores none above 32 MiB (nats-server, rlBadThresh), and delivers it with a little more.
	inFlight, inFlightBytes = 4096, 33 << 20
	// createTimeout bounds the making of a consumer, and a question to the stream's leader.
	createTimeout = time.Second
	// doubtful is how long a snapshot may show nothing before the server is asked for its state:
	// it says so by a heartbeat.
	doubtful = 500 * time.Millisecond
)

// Run keeps the views up to date until ctx ends; then it returns nil. It returns ErrUnavailable when
// the connection was closed for good.
func (f *Feed) Run(ctx context.Context) error {
	bucket := f.stream.layout.Bucket
	jet.Supervise(ctx, f.stream.js.Conn(), func(ctx context.Context) bool {
		if f.generation++; f.generation > 1 {
			f.stream.metrics.resyncs.WithLabelValues(bucket).Inc()
		}
		for _, s := range f.seers {
			s.Anew()
		}
		good, err := f.follow(ctx)
		if good && ctx.Err() == nil {
			f.log.WarnContext(ctx, "view has lost the bucket; it is loaded again", "error", err)
		} else if ctx.Err() == nil {
			f.log.DebugContext(ctx, "view cannot be loaded yet", "error", err)
		}
		return good
	})
	if ctx.Err() == nil {
		return fmt.Errorf("view of %s: %w", bucket, ErrUnavailable)
	}
	return nil
}

// proofAfter is the last moment that a session which ended so was known to be alive.
func proofAfter(err error) time.Time {
	if errors.Is(err, jet.ErrSilent) {
		return time.Now().Add(-silence)
	}
	return time.Now()
}

// follow loads the bucket and applies its changes until ctx ends or anything is in doubt. good says
// that the views were current meanwhile.
func (f *Feed) follow(ctx context.Context) (good bool, err error) {
	cons, s, err := f.begin(ctx)
	if err != nil {
		return false, err
	}
	reading, end := context.WithCancelCause(ctx)
	defer end(nil)
	var beside sync.WaitGroup // the loading may take long
	beside.Go(func() { f.consumers.Tidy(ctx, cons.CachedInfo().Name) })
	beside.Go(func() { f.audit(reading, end) })
	if err = f.consume(reading, cons, s, end); ctx.Err() == nil && reading.Err() != nil {
		err = context.Cause(reading)
	}
	good = f.Current()
	f.setCurrent(false, proofAfter(err)) // before anything else that may take long
	end(nil)
	beside.Wait()
	f.consumers.Tidy(ctx, "")
	return good, err
}

// begin makes a consumer, and says until where its messages are a snapshot: the stream's leader is asked after
// the consumer was made, which takes a majority of the cluster. One that has lost it unawares, and still answers
// for what it had, can't be the one to tell.
func (f *Feed) begin(ctx context.Context) (jetstream.Consumer, *snapshot, error) {
	cons, err := f.consumer(ctx)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		if _, err := f.stream.ensure(ctx); err != nil { // an operator has removed it
			return nil, nil, err
		}
		cons, err = f.consumer(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	stream, err := f.standing(ctx)
	if err != nil {
		return nil, nil, err
	}
	info := stream.CachedInfo()
	if last := info.State.LastSeq; !info.Created.Equal(f.created) || last < f.revision.load() {
		f.forget()
		f.created = info.Created
	}
	return cons, &snapshot{end: info.State.LastSeq, standing: f.end}, nil
}

func (f *Feed) consumer(ctx context.Context) (jetstream.Consumer, error) {
	ctx, cancel := context.WithTimeout(ctx, createTimeout)
	defer cancel()
	return f.consumers.Create(ctx, jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy, FilterSubject: f.filter,
	})
}

// standing asks the stream's leader for its state.
func (f *Feed) standing(ctx context.Context) (jetstream.Stream, error) {
	ctx, cancel := context.WithTimeout(ctx, createTimeout)
	defer cancel()
	return jet.Stream(ctx, f.stream.js, f.stream.Name())
}

// end is the sequence of the newest message that the stream's leader has of what is read.
func (f *Feed) end(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, createTimeout)
	defer cancel()
	return jet.End(ctx, f.stream.js, f.stream.Name(), f.filter)
}
