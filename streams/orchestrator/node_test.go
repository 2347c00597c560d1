package orchestrator_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// node is a compute node that does what the protocol says and no more.
type node struct {
	id      string
	peer    string
	js      jetstream.JetStream
	control ncl.Publisher
	codec   envelope.Codec

	interval time.Duration // one that is to be missed soon has a short one
	factor   int
	ledger   string
	started  time.Time
	session  string
	count    uint64 // control messages of the session

	mu     sync.Mutex
	events []any  // of the ledger
	sent   uint64 // the last one that was sent in this session
	read   uint64 // the last message from the scheduler
}

func codec(t testing.TB) envelope.Codec {
	t.Helper()
	registry := envelope.NewRegistry()
	if err := errors.Join(nclprotocol.RegisterControl(registry), nclprotocol.RegisterExecution(registry)); err != nil {
		t.Fatal(err)
	}
	return envelope.Codec{Serializer: envelope.Serializer{}, Registry: registry}
}

func newNode(t testing.TB, nc *nats.Conn, id string) *node {
	t.Helper()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	c := codec(t)
	return &node{
		id: id, peer: "peer-" + id, js: js, control: ncl.NewPublisher(nc, c), codec: c,
		interval: time.Minute, factor: 5, ledger: rand.Text(), started: time.Now(),
	}
}

func (n *node) info() nclprotocol.NodeInfo {
	return nclprotocol.NodeInfo{NodeID: n.id, PeerID: n.peer, Version: "test", Labels: map[string]string{"zone": "a"}}
}

// askWithin is how long a node waits for an answer: what a replica had taken that died is never answered.
const askWithin = 10 * time.Second

func (n *node) ask(ctx context.Context, payload any) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	n.count++
	m, err := n.control.Request(ctx, ncl.PublishRequest{Subject: nclprotocol.ControlSubject(n.id), Message: &envelope.Message{
		Header: envelope.Header{Source: n.session, Sequence: n.count, Time: time.Now()}, Payload: payload,
	}})
	if err != nil {
		return nil, err
	}
	return m.Payload, nil
}

// tryHandshake opens a session.
func (n *node) tryHandshake(ctx context.Context) (*nclprotocol.HandshakeResponse, error) {
	n.mu.Lock()
	newest, read := uint64(len(n.events)), n.read
	n.mu.Unlock()
	n.session, n.count = rand.Text(), 0
	answer, err := n.ask(ctx, nclprotocol.HandshakeRequest{
		Session: n.session, NodeInfo: n.info(), Started: n.started,
		HeartbeatInterval: nclprotocol.Seconds(n.interval), HeartbeatMissFactor: n.factor,
		LastSchedulerSequence: read, Ledger: n.ledger, NewestSequence: newest,
	})
	if err != nil {
		return nil, err
	}
	r := answer.(*nclprotocol.HandshakeResponse)
	if r.Accepted {
		n.sent = r.LastNodeSequence
	}
	return r, nil
}

func (n *node) handshake(t testing.TB) *nclprotocol.HandshakeResponse {
	t.Helper()
	var r *nclprotocol.HandshakeResponse
	var err error
	natstest.Eventually(t, n.id+" is answered", func() bool {
		r, err = n.tryHandshake(t.Context())
		return err == nil
	})
	return r
}

func (n *node) accepted(t testing.TB) *nclprotocol.HandshakeResponse {
	t.Helper()
	r := n.handshake(t)
	if !r.Accepted {
		t.Fatalf("%s is refused: %s", n.id, r.Reason)
	}
	return r
}

// succeeds takes the place of another program once that has been silent for its time.
func (n *node) succeeds(t testing.TB) (r *nclprotocol.HandshakeResponse) {
	t.Helper()
	natstest.Eventually(t, n.id+" is let in", func() bool {
		r = n.handshake(t)
		return r.Accepted
	})
	return r
}

func (n *node) tryBeat(ctx context.Context) (*nclprotocol.HeartbeatResponse, error) {
	answer, err := n.ask(ctx, nclprotocol.HeartbeatRequest{Free: nclprotocol.Amounts{"ram_gb": 8}, LastSchedulerSequence: n.read})
	if err != nil {
		return nil, err
	}
	return answer.(*nclprotocol.HeartbeatResponse), nil
}

func (n *node) beat(t testing.TB) *nclprotocol.HeartbeatResponse {
	t.Helper()
	r, err := n.tryBeat(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// record adds events to the ledger.
func (n *node) record(events ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.events = append(n.events, events...)
}

// frame is the message of an event.
func (n *node) frame(sequence, previous uint64) ([]byte, error) {
	n.mu.Lock()
	payload := n.events[sequence-1]
	n.mu.Unlock()
	return n.codec.Encode(&envelope.Message{
		Header: envelope.Header{Source: n.ledger, Sequence: sequence, Previous: previous, Time: time.Now()}, Payload: payload,
	})
}

// send publishes the next event; false when there is none.
func (n *node) send(ctx context.Context) (bool, error) {
	n.mu.Lock()
	more := n.sent < uint64(len(n.events))
	n.mu.Unlock()
	if !more {
		return false, nil
	}
	frame, err := n.frame(n.sent+1, n.sent)
	if err != nil {
		return false, err
	}
	if _, err := n.js.Publish(ctx, nclprotocol.OutSubject(n.id), frame); err != nil {
		return false, err
	}
	n.sent++
	return true, nil
}

func (n *node) sendAll(t testing.TB) {
	t.Helper()
	for {
		more, err := n.send(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			return
		}
	}
}

// publish sends what is no event of the node as if it were.
func (n *node) publish(t testing.TB, frame []byte) {
	t.Helper()
	if _, err := n.js.Publish(t.Context(), nclprotocol.OutSubject(n.id), frame); err != nil {
		t.Fatal(err)
	}
}

// tryOffer tells an offer, in a session that need not be the last.
func (n *node) tryOffer(ctx context.Context, session string, r nclprotocol.OfferRequest) (*nclprotocol.OfferResponse, error) {
	present := n.session
	n.session = session
	answer, err := n.ask(ctx, r)
	n.session = present
	if err != nil {
		return nil, err
	}
	return answer.(*nclprotocol.OfferResponse), nil
}

func (n *node) offer(t testing.TB, sequence uint64, document string) *nclprotocol.OfferResponse {
	t.Helper()
	r, err := n.tryOffer(t.Context(), n.session, nclprotocol.OfferRequest{Sequence: sequence, Offer: json.RawMessage(document)})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
