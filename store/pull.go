package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	heartbeat = time.Second
	// silence is how long the server may say nothing while something is asked of it.
	silence = 2 * heartbeat
	// pullExpiry is when a request that has not brought all it may is made again.
	pullExpiry = 30 * time.Second
)

// pullRequest is the body of a CONSUMER.MSG.NEXT request (nats-server, JSApiConsumerGetNextRequest).
type pullRequest struct {
	Batch     int           `json:"batch"`
	MaxBytes  int           `json:"max_bytes,omitempty"`
	Expires   time.Duration `json:"expires"`
	Heartbeat time.Duration `json:"idle_heartbeat"`
}

// pull reads a pull consumer, with one request for messages at a time. The client library can't: it
// takes a message without body, or of a consumer without bodies, that has a header named Status for a
// word of the server. It would never hand it over; anybody who may write to a bucket could stop its
// readers with one.
type pull struct {
	nc      *nats.Conn
	subject string // of requests
	inbox   string // begins the reply subjects of requests
	limit   pullRequest
	arrived chan *nats.Msg

	requests int    // made so far
	reply    string // of the last request: words of the server about earlier ones come late
	pending  int    // messages that it may still bring; 0 when it has ended
}

// deliver reads a consumer; the messages come through a channel, at most batch of them, and maxBytes
// unless 0, on their way at a time. The first failure of any kind comes through failed. stop returns
// when nothing of it runs any more.
func deliver(ctx context.Context, nc *nats.Conn, of *jetstream.ConsumerInfo, batch, maxBytes int) (msgs <-chan *nats.Msg, failed <-chan error, stop func(), err error) {
	p := &pull{
		nc:      nc,
		subject: jetstream.DefaultAPIPrefix + "CONSUMER.MSG.NEXT." + of.Stream + "." + of.Name,
		inbox:   nc.NewInbox(),
		limit:   pullRequest{batch, maxBytes, pullExpiry, heartbeat},
		arrived: make(chan *nats.Msg, 2*batch),
	}
	sub, err := nc.ChanSubscribe(p.inbox+".*", p.arrived)
	if err != nil {
		return nil, nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	out, failure := make(chan *nats.Msg), make(chan error, 1)
	var work sync.WaitGroup
	work.Go(func() { failure <- p.run(ctx, out) })
	return out, failure, func() {
		cancel()
		work.Wait()
		_ = sub.Unsubscribe() // it fails when the connection is gone, and the subscription with it
	}, nil
}

// run hands over messages until ctx ends or the consumer leaves doubt.
func (p *pull) run(ctx context.Context, out chan<- *nats.Msg) error {
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	for {
		if err := p.request(); err != nil {
			return err
		}
		quiet.Reset(silence)
		select {
		case m := <-p.arrived:
			if err := p.take(ctx, m, out); err != nil {
				return err
			}
		case <-quiet.C:
			if len(p.arrived) == 0 {
				return jetstream.ErrNoHeartbeat
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// request asks for messages when none are under way.
func (p *pull) request() error {
	if p.pending > 0 {
		return nil
	}
	body, err := json.Marshal(p.limit)
	if err != nil {
		return err
	}
	p.requests++
	p.reply = p.inbox + "." + strconv.Itoa(p.requests)
	p.pending = p.limit.Batch
	return p.nc.PublishRequest(p.subject, p.reply, body)
}

// take hands over a delivery; those alone have a reply subject, by which they are acknowledged.
func (p *pull) take(ctx context.Context, m *nats.Msg, out chan<- *nats.Msg) error {
	if !strings.HasPrefix(m.Reply, "$JS.ACK.") {
		return p.status(m)
	}
	p.pending--
	select {
	case out <- m:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// status reads a word of the server: a heartbeat, or the end of the request.
func (p *pull) status(m *nats.Msg) error {
	if m.Subject != p.reply {
		return nil
	}
	switch code, reason := m.Header.Get("Status"), m.Header.Get("Description"); {
	case code == "100":
		return nil
	case code == "404", code == "408", reason == "Batch Completed", reason == "Message Size Exceeds MaxBytes":
	case reason == "Consumer Deleted":
		return jetstream.ErrConsumerDeleted
	default:
		return fmt.Errorf("the consumer ended a request: %s %s", code, reason)
	}
	p.pending = 0 // all that came in time, or as much as was asked for
	return nil
}
