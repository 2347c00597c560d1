package jet

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// mostLeft is how many consumers are remembered that may be left over; the server drops more by itself.
	mostLeft = 63
	// deleteTimeout is short: while a cluster elects a leader, requests are lost.
	deleteTimeout = time.Second
	// unread is after how long without a request the server drops a consumer by itself.
	unread = 30 * time.Second
)

// Ephemerals are the consumers of one stream that one reader makes, one after the other. It knows
// their names even when the answer to their making was lost, and deletes those that are of no use any
// more, which spares the server the time after which it drops them by itself: a link that flaps would
// leave many behind. It belongs to one reader.
type Ephemerals struct {
	js     jetstream.JetStream
	stream string
	log    *slog.Logger
	names  []string // of those that may stand on the server, the newest last
}

// NewEphemerals has made none yet.
func NewEphemerals(js jetstream.JetStream, stream string, log *slog.Logger) *Ephemerals {
	return &Ephemerals{js: js, stream: stream, log: log}
}

// Create makes another consumer, which acknowledges nothing and is kept in one server's memory. It fails as the
// client does.
func (e *Ephemerals) Create(ctx context.Context, want jetstream.ConsumerConfig) (jetstream.Consumer, error) {
	want.Name = e.name()
	want.AckPolicy, want.MemoryStorage, want.Replicas, want.InactiveThreshold = jetstream.AckNonePolicy, true, 1, unread
	return Hedged(ctx, func(ctx context.Context) (jetstream.Consumer, error) {
		return e.js.CreateConsumer(ctx, e.stream, want)
	})
}

func (e *Ephemerals) name() string {
	name := rand.Text()
	e.names = append(e.names[max(0, len(e.names)-mostLeft):], name)
	return name
}

// Tidy deletes all consumers but one; "" is none. The first failure ends it; the rest is for next time.
// It works on when ctx ends.
func (e *Ephemerals) Tidy(ctx context.Context, but string) {
	reached := e.js.Conn().IsConnected()
	e.names = slices.DeleteFunc(e.names, func(name string) bool {
		if name == but || !reached {
			return false
		}
		reached = e.delete(ctx, name)
		return reached
	})
}

// delete says whether the consumer has gone.
func (e *Ephemerals) delete(ctx context.Context, name string) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deleteTimeout)
	defer cancel()
	err := e.js.DeleteConsumer(ctx, e.stream, name)
	if err != nil {
		e.log.DebugContext(ctx, "consumer is left to the server's own clean-up", "consumer", name, "error", err)
	}
	return err == nil || errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrStreamNotFound)
}
