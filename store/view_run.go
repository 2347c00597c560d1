package store

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
	// createTimeout bounds the making of a consumer, and a question about it.
	createTimeout = time.Second
	// doubtful is how long a snapshot may show nothing before the server is asked for its state:
	// it says so by a heartbeat.
	doubtful = 500 * time.Millisecond
)

// follower is the state that Run carries from one session to the next.
type follower struct {
	generation uint64
	created    time.Time // of the stream whose revisions are known
	revision   uint64    // the highest one seen
	consumers  *jet.Ephemerals
}

// Run keeps the view up to date until ctx ends; then it returns nil. It returns ErrUnavailable when
// the connection was closed for good.
func (v *View[T]) Run(ctx context.Context) error {
	f := v.follower()
	jet.Supervise(ctx, v.js.Conn(), func(ctx context.Context) bool {
		if f.generation++; f.generation > 1 {
			v.metrics.resyncs.WithLabelValues(v.bucket).Inc()
		}
		good, err := v.follow(ctx, &f)
		if good && ctx.Err() == nil {
			v.log.WarnContext(ctx, "view has lost the bucket; it is loaded again", "error", err)
		} else if ctx.Err() == nil {
			v.log.DebugContext(ctx, "view cannot be loaded yet", "error", err)
		}
		return good
	})
	if ctx.Err() == nil {
		return fmt.Errorf("view of %s: %w", v.bucket, ErrUnavailable)
	}
	return nil
}

func (v *View[T]) follower() follower {
	return follower{consumers: jet.NewEphemerals(v.js, streamName(v.bucket), v.log)}
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
	cons, err := v.consumer(ctx, f)
	if err != nil {
		return false, err
	}
	var tidy sync.WaitGroup
	tidy.Go(func() { f.consumers.Tidy(ctx, cons.CachedInfo().Name) }) // beside the loading: it may take long
	err = v.consume(ctx, cons, f)
	good = v.Current()
	v.setCurrent(false, proofAfter(err)) // before anything else that may take long
	tidy.Wait()
	f.consumers.Tidy(ctx, "")
	return good, err
}

func (v *View[T]) consumer(ctx context.Context, f *follower) (jetstream.Consumer, error) {
	ctx, cancel := context.WithTimeout(ctx, createTimeout)
	defer cancel()
	find := func(ctx context.Context) (jetstream.Stream, error) { return v.js.Stream(ctx, streamName(v.bucket)) }
	stream, err := jet.Hedged(ctx, find)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		if err := v.restore(ctx); err != nil {
			return nil, err
		}
		stream, err = jet.Hedged(ctx, find)
	}
	if err != nil {
		return nil, err
	}
	info := stream.CachedInfo()
	if !info.Created.Equal(f.created) || info.State.LastSeq < f.revision {
		v.forget()
		f.created, f.revision = info.Created, 0
	}
	want := jetstream.ConsumerConfig{
		Name:              f.consumers.Name(),
		AckPolicy:         jetstream.AckNonePolicy,
		DeliverPolicy:     jetstream.DeliverLastPerSubjectPolicy,
		FilterSubject:     subjectPrefix(v.bucket) + ">",
		InactiveThreshold: 30 * time.Second,
		MemoryStorage:     true,
		Replicas:          1,
	}
	return jet.Hedged(ctx, func(ctx context.Context) (jetstream.Consumer, error) { return stream.CreateConsumer(ctx, want) })
}
