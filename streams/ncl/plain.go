package ncl

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"

	"oc-scheduler/streams/envelope"
)

// refusalHeader bears why a request was not served. Any version of this program reads it.
const refusalHeader = "Oc-Error"

// plainPublisher is a Publisher.
type plainPublisher struct {
	nc    *nats.Conn
	codec envelope.Codec
}

// NewPublisher returns a Publisher on a connection, which stays the caller's.
func NewPublisher(nc *nats.Conn, codec envelope.Codec) Publisher {
	return &plainPublisher{nc, codec}
}

// Publish implements Publisher.
func (p *plainPublisher) Publish(ctx context.Context, r PublishRequest) error {
	if err := ended(ctx); err != nil {
		return err
	}
	frame, err := encode(p.codec, r.Message)
	if err != nil {
		return err
	}
	return p.nc.Publish(r.Subject, frame)
}

// Request implements Publisher.
func (p *plainPublisher) Request(ctx context.Context, r PublishRequest) (*envelope.Message, error) {
	frame, err := encode(p.codec, r.Message)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx) // the Err of a fake clock's context waits for the end; that of its child does not
	defer cancel()
	answer, err := p.nc.RequestWithContext(ctx, r.Subject, frame)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return nil, fmt.Errorf("%w on %s", ErrNoResponders, r.Subject)
	case err != nil:
		return nil, err
	}
	if reason := answer.Header.Get(refusalHeader); reason != "" {
		return nil, &RefusedError{Reason(reason)}
	}
	return decode(p.codec, answer.Data)
}
