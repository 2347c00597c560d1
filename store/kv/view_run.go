package kv

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
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

// follower is the state that Run carries from one session to the next.
type follower struct {
	generation uint64
	created    time.Time     // of the stream whose revisions are known
	revision   atomic.Uint64 // the highest one seen
	consumers  *jet.Ephemerals
}

// Run keeps the view up to date until ctx ends; then it returns nil. It returns ErrUnavailable when
// the connection was closed for good.
func (v *View[T]) Run(ctx context.Context) error {
	f := v.follower()
	jet.Supervise(ctx, v.keys.js.Conn(), func(ctx context.Context) bool {
		if f.generation++; f.generation > 1 {
			v.keys.metrics.resyncs.WithLabelValues(v.keys.Bucket).Inc()
		}
		good, err := v.follow(ctx, f)
		if good && ctx.Err() == nil {
			v.log.WarnContext(ctx, "view has lost the bucket; it is loaded again", "error", err)
		} else if ctx.Err() == nil {
			v.log.DebugContext(ctx, "view cannot be loaded yet", "error", err)
		}
		return good
	})
	if ctx.Err() == nil {
		return fmt.Errorf("view of %s: %w", v.keys.Bucket, ErrUnavailable)
	}
	return nil
}

func (v *View[T]) follower() *follower {
	return &follower{consumers: jet.NewEphemerals(v.keys.js, v.keys.Name(), v.log)}
}

// proofAfter is the last moment that a session which ended so was known to be alive.
func proofAfter(err error) time.Time {
	if errors.Is(err, jet.ErrSilent) {
		return time.Now().Add(-silence)
	}
	return time.Now()
}

// follow loads the bucket and applies its changes until ctx ends or anything is in doubt. good says
// that the view was current meanwhile.
func (v *View[T]) follow(ctx context.Context, f *follower) (good bool, err error) {
	cons, s, err := v.begin(ctx, f)
	if err != nil {
		return false, err
	}
	reading, end := context.WithCancelCause(ctx)
	defer end(nil)
	var beside sync.WaitGroup // the loading may take long
	beside.Go(func() { f.consumers.Tidy(ctx, cons.CachedInfo().Name) })
	beside.Go(func() { v.audit(reading, f, end) })
	if err = v.consume(reading, cons, f, s, end); ctx.Err() == nil && reading.Err() != nil {
		err = context.Cause(reading)
	}
	good = v.Current()
	v.setCurrent(false, proofAfter(err)) // before anything else that may take long
	end(nil)
	beside.Wait()
	f.consumers.Tidy(ctx, "")
	return good, err
}

// begin makes a consumer, and says until where its messages are a snapshot: the stream's leader is asked after
// the consumer was made, which takes a majority of the cluster. One that has lost it unawares, and still answers
// for what it had, can't be the one to tell.
func (v *View[T]) begin(ctx context.Context, f *follower) (jetstream.Consumer, *snapshot, error) {
	cons, err := v.consumer(ctx, f)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		if _, err := v.keys.ensure(ctx); err != nil { // an operator has removed it
			return nil, nil, err
		}
		cons, err = v.consumer(ctx, f)
	}
	if err != nil {
		return nil, nil, err
	}
	stream, err := v.stream(ctx)
	if err != nil {
		return nil, nil, err
	}
	info := stream.CachedInfo()
	if last := info.State.LastSeq; !info.Created.Equal(f.created) || last < f.revision.Load() {
		v.forget()
		f.created = info.Created
		f.revision.Store(0)
	}
	return cons, &snapshot{end: info.State.LastSeq, standing: v.end}, nil
}

func (v *View[T]) consumer(ctx context.Context, f *follower) (jetstream.Consumer, error) {
	ctx, cancel := context.WithTimeout(ctx, createTimeout)
	defer cancel()
	want := jetstream.ConsumerConfig{
		Name:              f.consumers.Name(),
		AckPolicy:         jetstream.AckNonePolicy,
		DeliverPolicy:     jetstream.DeliverLastPerSubjectPolicy,
		FilterSubject:     v.keys.Filter(),
		InactiveThreshold: 30 * time.Second,
		MemoryStorage:     true,
		Replicas:          1,
	}
	return jet.Hedged(ctx, func(ctx context.Context) (jetstream.Consumer, error) {
		return v.keys.js.CreateConsumer(ctx, v.keys.Name(), want)
	})
}

// stream asks the stream's leader for its state.
func (v *View[T]) stream(ctx context.Context) (jetstream.Stream, error) {
	ctx, cancel := context.WithTimeout(ctx, createTimeout)
	defer cancel()
	return jet.Stream(ctx, v.keys.js, v.keys.Name())
}

// end is the sequence of the newest message that the stream's leader has of the bucket.
func (v *View[T]) end(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, createTimeout)
	defer cancel()
	return jet.End(ctx, v.keys.js, v.keys.Name(), v.keys.Filter())
}
