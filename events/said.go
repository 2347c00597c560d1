package events

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
)

const (
	// lookBack is how far the clock of OC_BUS may be behind that of the server whose time is asked about.
	lookBack = time.Minute
	// lookIdle is when a consumer ends by itself that nobody deletes.
	lookIdle = 10 * time.Second
)

var errLooked = errors.New("all that was there has been looked at")

// Said reports whether OC_BUS has stored a message of that id since a time. It is for who does not know
// whether it has sent it; to look costs a reading of what has been on the bus meanwhile. It fails with
// jet.ErrBehind when the member that is read has less than the stream's leader: then nothing is known.
func (e *Emitter) Said(ctx context.Context, id string, since time.Time) (bool, error) {
	said, err := e.look(ctx, id, since.Add(-lookBack))
	if err != nil {
		return false, fmt.Errorf("looking for %s: %w", id, err)
	}
	return said, nil
}

func (e *Emitter) look(ctx context.Context, id string, start time.Time) (found bool, err error) {
	end, err := jet.Newest(ctx, e.js, Stream, Propagation)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return false, nil
	case err != nil:
		return false, err
	case end.Time.Before(start):
		return false, nil
	}
	consumer, err := e.js.CreateConsumer(ctx, Stream, jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartTimePolicy, OptStartTime: &start,
		AckPolicy: jetstream.AckNonePolicy, FilterSubject: Propagation, HeadersOnly: true,
		MemoryStorage: true, Replicas: 1, InactiveThreshold: lookIdle,
	})
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r := jet.Reader{
		Stream: Stream, Consumer: consumer.CachedInfo().Name, Silence: silence,
		Request: jet.Request{Batch: maxBatch, Expires: pullExpiry, Heartbeat: heartbeat},
		Idle:    func() { cancel(jet.ErrBehind) },
	}
	err = r.Run(ctx, e.js, jet.Gapless(func(m *nats.Msg, md *nats.MsgMetadata) error {
		if found = m.Header.Get(jetstream.MsgIDHeader) == id; found || md.Sequence.Stream >= end.Sequence {
			return errLooked
		}
		return nil
	}))
	if !errors.Is(err, errLooked) {
		return false, cmp.Or(context.Cause(ctx), err)
	}
	return found, nil
}
