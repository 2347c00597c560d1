package ncl

import (
	"context"

	"oc-scheduler/streams/envelope"
)

// PublishRequest is a message and where it goes.
type PublishRequest struct {
	Subject string
	Message *envelope.Message
}

// Publisher sends messages over plain NATS.
type Publisher interface {
	// Publish sends a message that nobody acknowledges.
	Publish(ctx context.Context, r PublishRequest) error
	// Request sends a message and waits for its answer until ctx ends. It fails with ErrNoResponders,
	// with a *RefusedError when the other side answered why not, with ctx's error, or as decoding does.
	Request(ctx context.Context, r PublishRequest) (*envelope.Message, error)
}

// OrderedPublisher sends messages into a JetStream stream, many in flight, in the order of the calls.
// The first failure breaks the line: it and every message after it fail, sent or not, until Reset.
// So what was acknowledged is always a prefix of what was published since the last Reset.
type OrderedPublisher interface {
	// PublishAsync sends a message; its future is registered before that. It waits while as many are in
	// flight as are allowed. It fails, without a future, with ErrBroken, ErrClosed, ctx's error, as
	// encoding does, or with ErrReset when it was called before a reset.
	PublishAsync(ctx context.Context, r PublishRequest) (PubFuture, error)
	// Reset fails all futures that are open with ErrReset and mends a broken line.
	Reset(ctx context.Context)
	// Close fails all futures that are open with ErrClosed, and waits until nothing of it runs.
	Close(ctx context.Context) error
}

// PubFuture is the outcome of one message.
type PubFuture interface {
	// Done is closed when the outcome is known.
	Done() <-chan struct{}
	// Err is the outcome once Done is closed: nil when the stream has stored the message.
	Err() error
	// StreamSequence is where the stream has stored it; 0 unless Err is nil.
	StreamSequence() uint64
}
