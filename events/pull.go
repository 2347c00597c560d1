package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	maxBatch      = 64       // a hung replica holds back no more than this, and only until AckWait is over
	maxBatchBytes = 32 << 20 // four of the largest messages
	pullExpiry    = 10 * time.Second
	heartbeat     = time.Second
	silence       = 7 * heartbeat / 2 // without a sign of life, the session is over
)

// Why a session ends.
var (
	errSilent = errors.New("no sign of life from the consumer")
	errLost   = errors.New("connection lost")
	errEnded  = errors.New("the consumer ended the request")
)

// pull is a session with the durable consumer: one subscription, one request for messages at a time.
type pull struct {
	nc      *nats.Conn
	subject string // of requests
	inbox   string // begins the reply subjects of requests
	arrived chan *nats.Msg
	holds   *holds
	idle    func() // called when the server says that it has nothing

	requests int    // made so far
	reply    string // of the last request: words of the server about earlier ones come late
	pending  int    // messages that the last request may still bring; 0 when it has ended
	alive    bool   // the consumer has answered
}

func newPull(js jetstream.JetStream, h *holds, idle func()) *pull {
	nc := js.Conn()
	return &pull{
		nc:      nc,
		subject: fmt.Sprintf("%sCONSUMER.MSG.NEXT.%s.%s", apiPrefix(js.Options()), Stream, Durable),
		inbox:   nc.NewInbox(),
		arrived: make(chan *nats.Msg, 2*maxBatch),
		holds:   h,
		idle:    idle,
	}
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

// run hands every message to receive until ctx ends or the consumer leaves doubt, which it returns.
// It calls alive when the consumer has answered for the first time.
func (p *pull) run(ctx context.Context, alive func(), receive func(*nats.Msg)) error {
	sub, err := p.nc.ChanSubscribe(p.inbox+".*", p.arrived)
	if err != nil {
		return err
	}
	defer p.finish(ctx, sub, receive)
	lost := p.nc.StatusChanged(nats.DISCONNECTED, nats.RECONNECTING, nats.CLOSED)
	defer p.nc.RemoveStatusListener(lost)
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	for {
		if err := p.request(quiet); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-lost:
			return errLost
		case <-p.holds.freed: // there may be room for a request now
		case <-quiet.C:
			if p.pending > 0 && len(p.arrived) == 0 {
				return errSilent
			}
		case m := <-p.arrived:
			if isDelivery(m) {
				p.pending--
				receive(m)
			} else if err := p.status(m); err != nil {
				return err
			}
			if !p.alive {
				p.alive = true
				alive()
			}
			quiet.Reset(silence) // only now: the time that receive took is not the server's silence
		}
	}
}

// request asks for messages when none are under way and there is room.
func (p *pull) request(quiet *time.Timer) error {
	if p.pending > 0 {
		return nil
	}
	messages, bytes := p.holds.room()
	if messages < 1 || bytes < maxBatchBytes {
		return nil
	}
	p.pending = min(messages, maxBatch)
	p.requests++
	p.reply = p.inbox + "." + strconv.Itoa(p.requests)
	quiet.Reset(silence)
	body, err := json.Marshal(pullRequest{p.pending, maxBatchBytes, pullExpiry, heartbeat})
	if err != nil {
		return err
	}
	return p.nc.PublishRequest(p.subject, p.reply, body)
}

// pullRequest is the body of a CONSUMER.MSG.NEXT request.
type pullRequest struct {
	Batch     int           `json:"batch"`
	MaxBytes  int           `json:"max_bytes"`
	Expires   time.Duration `json:"expires"`
	Heartbeat time.Duration `json:"idle_heartbeat"`
}

// status reads a message of the server: a heartbeat, or the end of the request.
func (p *pull) status(m *nats.Msg) error {
	if m.Subject != p.reply {
		return nil
	}
	switch code := m.Header.Get("Status"); code {
	case "100":
		p.idle()
		return nil
	case "404", "408": // nothing came in time
		p.idle()
	case "409":
		switch reason := m.Header.Get("Description"); reason {
		case "Message Size Exceeds MaxBytes", "Batch Completed":
		default:
			return fmt.Errorf("%w: %s", errEnded, reason)
		}
	default:
		return fmt.Errorf("%w: status %s %s", errEnded, code, m.Header.Get("Description"))
	}
	p.pending = 0
	return nil
}

// finish ends the subscription. What came too late for run is still ours, or another replica's when
// ctx has ended.
func (p *pull) finish(ctx context.Context, sub *nats.Subscription, receive func(*nats.Msg)) {
	_ = sub.Unsubscribe() // it fails when the connection is gone, and the subscription with it
	for {
		select {
		case m := <-p.arrived:
			switch {
			case !isDelivery(m):
			case ctx.Err() == nil:
				receive(m)
			default:
				_ = (&delivery{nc: p.nc, msg: m}).giveBack() // else it comes back after AckWait
			}
		default:
			return
		}
	}
}
