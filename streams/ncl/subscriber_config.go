package ncl

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jonboulle/clockwork"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/streams/envelope"
)

// Tracker holds the sequence of the last message that was processed.
type Tracker interface {
	Processed(sequence uint64)
	LastSequence() uint64
}

// SubscriberConfig says what a Subscriber reads, and how.
type SubscriberConfig struct {
	JetStream jetstream.JetStream
	Stream    string
	Consumer  string // pull, acknowledges nothing, and nobody else reads from it
	Codec     envelope.Codec
	Handler   MessageHandler
	Tracker   Tracker         // no message up to its LastSequence may come
	OnEnd     func(err error) // called once when the reading ends but by Close, e.g. with ErrGap or ErrBehind; may be nil
	OnSkip    func(err error) // called for each message that was given up; may be nil

	Backoff func() backoff.BackOff // of the pauses between attempts for one message; nil: from 100 ms to 5 s
	Clock   clockwork.Clock        // of these pauses; nil: real
	Logger  *slog.Logger           // nil: none
}

// Validate reports every fault.
func (c SubscriberConfig) Validate() error {
	err := validateCodec(c.Codec)
	fault := func(wrong bool, format string, args ...any) {
		if wrong {
			err = errors.Join(err, fmt.Errorf(format, args...))
		}
	}
	fault(c.JetStream == nil, "JetStream is missing")
	fault(c.Stream == "", "Stream is missing")
	fault(c.Consumer == "", "Consumer is missing")
	fault(c.Handler == nil, "Handler is missing")
	fault(c.Tracker == nil, "Tracker is missing")
	return err
}

func (c *SubscriberConfig) setDefaults() {
	if c.Backoff == nil {
		c.Backoff = defaultBackoff
	}
	if c.OnEnd == nil {
		c.OnEnd = func(error) {}
	}
	if c.OnSkip == nil {
		c.OnSkip = func(error) {}
	}
	c.Clock = orReal(c.Clock)
	c.Logger = orDiscard(c.Logger).With("component", "subscriber", "stream", c.Stream)
}

func defaultBackoff() backoff.BackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval = 100*time.Millisecond, 5*time.Second
	return b
}
