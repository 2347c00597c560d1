package events

import (
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
// whether it has sent it; to look costs a reading of what has been on the bus meanwhile.
func (e *Emitter) Said(ctx context.Context, id string, since time.Time) (bool, error) {
	start := since.Add(-lookBack)
	consumer, err := e.js.CreateConsumer(ctx, Stream, jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartTimePolicy, OptStartTime: &start,
		AckPolicy: jetstream.AckNonePolicy, FilterSubject: Propagation, HeadersOnly: true,
		MemoryStorage: true, Replicas: 1, InactiveThreshold: lookIdle,
	})
	if err != nil {
		return false, fmt.Errorf("looking for %s: %w", id, err)
	}
	left := consumer.CachedInfo().NumPending
	if left == 0 {
		return false, nil
	}
	found := false
	r := jet.Reader{
		Stream: Stream, Consumer: consumer.CachedInfo().Name, Silence: silence,
		Request: jet.Request{Batch: maxBatch, Expires: pullExpiry, Heartbeat: heartbeat},
	}
	err = r.Run(ctx, e.js, func(m *nats.Msg) error {
		left--
		if found = m.Header.Get(jetstream.MsgIDHeader) == id; found || left == 0 {
			return errLooked
		}
		return nil
	})
	if !errors.Is(err, errLooked) {
		return false, fmt.Errorf("looking for %s: %w", id, err)
	}
	return found, nil
}
