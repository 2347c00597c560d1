package orchestrator

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/time/rate"

	"oc-scheduler/store"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

const (
	// queueGroup is that of all replicas.
	queueGroup = "oc-scheduler"
	// controlTimeout is what a request may take from its arrival: less than a node waits.
	controlTimeout = 8 * time.Second
	// controlAtOnce is how many requests are at hand at a time: handshakes that wait for their turn must
	// not hold up heartbeats.
	controlAtOnce = 2048
	// listenRetry is the pause before another try to join the queue group.
	listenRetry = 250 * time.Millisecond
)

// control answers the requests of nodes.
type control struct {
	js      jetstream.JetStream
	store   *store.Store
	copies  int // of the streams, should one have to be made again
	manual  bool
	proven  bool
	door    *door
	offers  chan struct{} // one for each offer that is read
	turns   *turns
	foreign rate.Sometimes
	log     *slog.Logger
	metrics *metrics
}

func newControl(js jetstream.JetStream, st *store.Store, cfg Config, m *metrics) *control {
	return &control{
		js: js, store: st, copies: cfg.Copies, manual: cfg.ManualApproval, proven: cfg.ProvenPeers,
		door: newDoor(), offers: make(chan struct{}, offersAtOnce), turns: newTurns(cfg.HandshakesPerSecond),
		foreign: quietly(), log: cfg.Logger, metrics: m,
	}
}

// run answers until ctx ends. NATS out of reach is no failure.
func (c *control) run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := c.answer(ctx); err != nil && ctx.Err() == nil {
			c.log.WarnContext(ctx, "nodes are not answered yet, trying again", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(listenRetry):
		}
	}
}

// answer answers until ctx ends, and then what has come before.
func (c *control) answer(ctx context.Context) error {
	responder, err := c.responder()
	if err != nil {
		return err
	}
	if err := responder.Listen(ctx); err != nil {
		return err
	}
	<-ctx.Done()
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), controlTimeout)
	defer cancel()
	return responder.Close(end)
}

// responder answers for this replica once it listens.
func (c *control) responder() (*ncl.Responder, error) {
	registry := envelope.NewRegistry()
	if err := nclprotocol.RegisterControl(registry); err != nil {
		return nil, err
	}
	return ncl.NewResponder(ncl.ResponderConfig{
		Conn: c.js.Conn(), Subject: nclprotocol.AllControl, Queue: queueGroup,
		Codec: envelope.Codec{Serializer: envelope.Serializer{}, Registry: registry},
		Handler: ncl.ByType{
			nclprotocol.TypeHandshakeRequest:      request(c, c.handshake),
			nclprotocol.TypeHeartbeatRequest:      request(c, c.heartbeat),
			nclprotocol.TypeUpdateNodeInfoRequest: request(c, c.updateInfo),
			nclprotocol.TypeOfferRequest:          request(c, c.offer),
			nclprotocol.TypeShutdownNoticeRequest: request(c, c.shutdown),
		},
		MaxConcurrent: controlAtOnce, Timeout: controlTimeout, Unread: c.unread, Logger: c.log,
	})
}

// unread notes that a node of another version asks: that is all that this one can read of its handshake.
func (c *control) unread(ctx context.Context, subject string, err error) {
	if _, other := errors.AsType[*envelope.VersionError](err); !other {
		return
	}
	c.metrics.handshakes.WithLabelValues("refused").Inc()
	c.foreign.Do(func() { c.log.WarnContext(ctx, "handshake refused", "subject", subject, "reason", err) })
}

// sender is where a request came from.
type sender struct {
	nodeID   string
	session  string
	sequence uint64 // in the session
	sent     time.Time
}

// request makes a handler of one type of request; the answer is a pointer to a message.
func request[Q, A any](c *control, answer func(context.Context, sender, *Q) (*A, error)) ncl.RequestFunc {
	return func(ctx context.Context, subject string, m *envelope.Message) (*envelope.Message, error) {
		nodeID, err := nclprotocol.NodeOf(subject)
		if err != nil {
			return nil, &ncl.RefusedError{Reason: err.Error()}
		}
		q, ok := m.Payload.(*Q)
		if !ok {
			return nil, &envelope.TypeError{Type: m.Type}
		}
		a, err := answer(ctx, sender{nodeID, m.Source, m.Sequence, m.Time}, q)
		if err != nil {
			c.log.DebugContext(ctx, "request of a node failed", "node_id", nodeID, "type", m.Type, "error", err)
			return nil, refusal(err)
		}
		return &envelope.Message{Header: envelope.Header{Time: time.Now().UTC()}, Payload: a}, nil
	}
}
