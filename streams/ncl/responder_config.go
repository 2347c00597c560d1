package ncl

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/nats-io/nats.go"

	"oc-scheduler/streams/envelope"
)

// Defaults of a Responder.
const (
	DefaultMaxConcurrent  = 64
	DefaultMaxWaiting     = 1024
	DefaultMaxBytes       = 256 << 20
	DefaultHandlerTimeout = 5 * time.Second
)

// ResponderConfig says what a Responder answers, and how.
type ResponderConfig struct {
	Conn    *nats.Conn // stays the caller's
	Subject string     // wildcards are allowed
	Queue   string     // the group of which one member answers; "": everybody answers
	Codec   envelope.Codec
	Handler RequestHandler

	MaxConcurrent int           // requests being handled; 0: DefaultMaxConcurrent
	MaxWaiting    int           // requests that wait for that, more are refused; 0: DefaultMaxWaiting
	MaxBytes      int64         // roughly, bytes of both, beside one request of any size; 0: DefaultMaxBytes
	Timeout       time.Duration // for a request, from its arrival; 0: DefaultHandlerTimeout
	// Unread is told of each request that can't be decoded, before that is refused; nil: nobody is.
	Unread func(ctx context.Context, subject string, err error)
	Clock  clockwork.Clock
	Logger *slog.Logger
}

// Validate reports every fault.
func (c ResponderConfig) Validate() error {
	err := validateCodec(c.Codec)
	fault := func(wrong bool, format string, args ...any) {
		if wrong {
			err = errors.Join(err, fmt.Errorf(format, args...))
		}
	}
	fault(c.Conn == nil, "Conn is missing")
	fault(c.Subject == "", "Subject is missing")
	fault(c.Handler == nil, "Handler is missing")
	fault(c.MaxConcurrent < 0, "MaxConcurrent %d is negative", c.MaxConcurrent)
	fault(c.MaxWaiting < 0, "MaxWaiting %d is negative", c.MaxWaiting)
	fault(c.MaxBytes < 0, "MaxBytes %d is negative", c.MaxBytes)
	fault(c.Timeout < 0, "Timeout %v is negative", c.Timeout)
	return err
}

func (c *ResponderConfig) setDefaults() {
	if c.MaxConcurrent == 0 {
		c.MaxConcurrent = DefaultMaxConcurrent
	}
	if c.MaxWaiting == 0 {
		c.MaxWaiting = DefaultMaxWaiting
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = DefaultMaxBytes
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultHandlerTimeout
	}
	c.Clock = orReal(c.Clock)
	c.Logger = orDiscard(c.Logger).With("component", "responder", "subject", c.Subject)
}

func orDiscard(l *slog.Logger) *slog.Logger {
	if l == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l
}
