package jet

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Why a Reader ends by itself.
var (
	// ErrSilent says that the consumer showed no sign of life for as long as Silence.
	ErrSilent = errors.New("no sign of life from the consumer")

	errLost  = errors.New("connection lost")
	errEnded = errors.New("the consumer ended the request")
)

// Reader reads a pull consumer, with one request for messages at a time. The client library can't: it
// takes a message without body, or of a consumer without bodies, that has a header named Status for a
// word of the server. It would never hand it over; anybody who may write to a stream could stop its
// readers with one.
type Reader struct {
	Stream, Consumer string
	Request          Request
	Silence          time.Duration      // how long the server may say nothing while something is asked of it
	Explicit         bool               // each message is acknowledged: none that has come is dropped
	Gate             Gate               // nil: always open
	Lost             <-chan nats.Status // ends the reading, for who does not end its context then; may be nil
	Idle             func()             // called when the server says that it has nothing; may be nil
}

// Request is what is asked for at a time, and the body of a CONSUMER.MSG.NEXT request (nats-server,
// JSApiConsumerGetNextRequest).
type Request struct {
	Batch     int           `json:"batch"`
	MaxBytes  int           `json:"max_bytes,omitempty"` // 0: no bound
	Expires   time.Duration `json:"expires"`
	Heartbeat time.Duration `json:"idle_heartbeat"`
}

// Gate holds back requests.
type Gate interface {
	// Room is how many messages may be asked for now.
	Room() int
	// Freed tells that there may be more room.
	Freed() <-chan struct{}
}

// Run hands every message to receive, one after the other, until ctx ends or the consumer leaves
// doubt. It returns ctx's error, the first of receive, ErrSilent, or another that says why. Nothing
// of it runs any more then. What came too late is still received when messages are acknowledged, or
// given back when ctx has ended.
func (r Reader) Run(ctx context.Context, js jetstream.JetStream, receive func(*nats.Msg) error) error {
	nc := js.Conn()
	s := &session{
		Reader:  r,
		nc:      nc,
		subject: apiPrefix(js.Options()) + "CONSUMER.MSG.NEXT." + r.Stream + "." + r.Consumer,
		inbox:   nc.NewInbox(),
		arrived: make(chan *nats.Msg, 2*r.Request.Batch),
	}
	sub, err := nc.ChanSubscribe(s.inbox+".*", s.arrived)
	if err != nil {
		return err
	}
	err = s.read(ctx, receive)
	_ = sub.Unsubscribe() // it fails when the connection is gone, and the subscription with it
	if r.Explicit {
		s.finish(ctx, receive)
	}
	return err
}

func apiPrefix(o jetstream.JetStreamOptions) string {
	switch {
	case o.Domain != "":
		return "$JS." + o.Domain + ".API."
	case o.APIPrefix != "":
		return strings.TrimSuffix(o.APIPrefix, ".") + "."
	}
	return jetstream.DefaultAPIPrefix
}
