package backup

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/synadia-io/orbit.go/jetstreamext"

	"oc-scheduler/jet"
)

const (
	batchMessages = 256
	batchBytes    = 16 << 20
	heartbeat     = time.Second
	// silence is how long the server may say nothing while something is asked of it.
	silence = 5 * time.Second
	// consumerLife is when a consumer goes by itself whose reader has gone.
	consumerLife = time.Minute
)

// errWhole ends a reading that has reached its end.
var errWhole = errors.New("all was read")

// reading is one reading of a stream, in order of sequences, up to a moment at which nothing newer stood. What is
// overwritten while it is read stands again further on, so that what was read at the end is what stood then. The
// server's own snapshot would lack it.
type reading struct {
	js     jetstream.JetStream
	stream jetstream.Stream
	each   func(*nats.Msg, *nats.MsgMetadata) error

	end     uint64 // the newest sequence when the reading began
	reached uint64
	torn    bool   // what was reached is of a batch that goes on
	waited  uint64 // where such a batch was waited for
}

// run hands over each message. It fails with what each fails with, with jet.ErrBehind when the member of the
// stream that is read stays behind its leader, and as the client does.
func (r *reading) run(ctx context.Context) error {
	info := r.stream.CachedInfo()
	r.end = info.State.LastSeq
	if info.State.Msgs == 0 {
		return nil
	}
	consumer, err := r.stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverAllPolicy, AckPolicy: jetstream.AckNonePolicy,
		MemoryStorage: true, Replicas: 1, InactiveThreshold: consumerLife,
	})
	if err != nil {
		return err
	}
	name := consumer.CachedInfo().Name
	defer func() {
		tidy, cancel := context.WithTimeout(context.WithoutCancel(ctx), silence)
		defer cancel()
		_ = r.stream.DeleteConsumer(tidy, name) // else it goes by itself
	}()
	idle := make(chan error, 1)
	reader := jet.Reader{
		Stream: info.Config.Name, Consumer: name, Silence: silence,
		Request: jet.Request{Batch: batchMessages, MaxBytes: batchBytes, Expires: 2 * heartbeat, Heartbeat: heartbeat},
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	reader.Idle = func() {
		if r.torn && r.waited != r.reached {
			r.waited = r.reached // a busy server is still storing it; one that has nothing the next time either has lost its end
			return
		}
		if err := r.atEnd(ctx); err != nil {
			select {
			case idle <- err:
			default: // it was called before
			}
			cancel()
		}
	}
	err = reader.Run(ctx, r.js, func(m *nats.Msg) error { return r.take(ctx, m) })
	select {
	case err = <-idle:
	default:
	}
	if errors.Is(err, errWhole) {
		return nil
	}
	return err
}

func (r *reading) take(ctx context.Context, m *nats.Msg) error {
	meta, err := m.Metadata()
	if err != nil {
		return err
	}
	if err := r.each(m, meta); err != nil {
		return err
	}
	r.reached, r.torn = meta.Sequence.Stream, torn(m.Header)
	if meta.NumPending > 0 || r.torn {
		return nil
	}
	return r.atEnd(ctx)
}

// torn says whether a message is of a batch that goes on behind it: the server stores one message of it after the other.
func torn(h nats.Header) bool {
	return h.Get(jetstreamext.BatchIDHeader) != "" && h.Get(jetstreamext.BatchCommitHeader) == ""
}

// atEnd is asked when who is read has no more: it says whether that is all, for it may be a member that is behind the
// stream's leader.
func (r *reading) atEnd(ctx context.Context) error {
	if r.reached >= r.end {
		return errWhole
	}
	end, err := jet.End(ctx, r.js, r.stream.CachedInfo().Config.Name, ">") // the newest may have gone
	switch {
	case err != nil:
		return err
	case r.reached >= end:
		return errWhole
	}
	return nil
}
