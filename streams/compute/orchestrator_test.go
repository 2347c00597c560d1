package compute_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// order and happening are what tests send to and from a node.
type order struct {
	N int `json:"n"`
}

type happening struct {
	N int `json:"n"`
}

func registry() *envelope.Registry {
	r := envelope.NewRegistry()
	if err := errors.Join(r.Register("order", order{}), r.Register("happening", happening{})); err != nil {
		panic(err)
	}
	return r
}

// memory is what a scheduler remembers of a node, beyond the life of its processes.
type memory struct {
	mu           sync.Mutex
	ledger       string
	lastNode     uint64 // the last event that was handled
	acknowledged uint64 // the last order that the node has processed, as it said
	session      string
	gap          bool

	handled    []happening
	duplicates int
	handshakes []nclprotocol.HandshakeRequest
	heartbeats []nclprotocol.HeartbeatRequest
	updates    []nclprotocol.NodeInfo
	offers     []anOffer
	before     bool // it is of a version before offers
	goodbyes   int
	foreign    int // control messages of another session
}

// anOffer is an offer as it came.
type anOffer struct {
	nclprotocol.OfferRequest
	session string
}

func (m *memory) look(f func(*memory)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(m)
}

func (m *memory) count(f func(*memory) int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return f(m)
}

// orchestrator is one process of a small scheduler for one node, over real NATS.
type orchestrator struct {
	tb      testing.TB
	node    string
	memory  *memory
	js      jetstream.JetStream
	control *ncl.Responder
	data    envelope.Codec
	events  jetstream.ConsumeContext
	intake  func(m *nclprotocol.HandshakeRequest) error // refuses, hangs; nil: accepts all
}

func startOrchestrator(tb testing.TB, s *natstest.Server, node string, m *memory, intake func(*nclprotocol.HandshakeRequest) error, opts ...nats.Option) *orchestrator {
	tb.Helper()
	o := &orchestrator{
		tb: tb, node: node, memory: m, js: s.JetStream(tb, opts...), intake: intake,
		data: envelope.Codec{Serializer: envelope.Serializer{}, Registry: registry()},
	}
	for _, layout := range []jetstream.StreamConfig{nclprotocol.OutLayout(1), nclprotocol.InLayout(1)} {
		if _, err := o.js.CreateOrUpdateStream(tb.Context(), layout); err != nil {
			tb.Fatal(err)
		}
	}
	control := envelope.NewRegistry()
	if err := nclprotocol.RegisterControl(control); err != nil {
		tb.Fatal(err)
	}
	var err error
	o.control, err = ncl.NewResponder(ncl.ResponderConfig{
		Conn: o.js.Conn(), Subject: nclprotocol.ControlSubject(node), Queue: "scheduler",
		Codec: envelope.Codec{Serializer: envelope.Serializer{}, Registry: control}, Handler: ncl.RequestFunc(o.answer),
	})
	if err != nil {
		tb.Fatal(err)
	}
	if err := o.control.Listen(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	o.follow()
	tb.Cleanup(o.stop)
	return o
}

// stop ends the process; what it remembers stays.
func (o *orchestrator) stop() {
	o.events.Stop()
	<-o.events.Closed()
	if err := o.control.Close(context.Background()); err != nil {
		o.tb.Error(err)
	}
}

// send gives the node an order, and returns its sequence.
func (o *orchestrator) send(n int) uint64 {
	o.tb.Helper()
	frame, err := o.data.Encode(&envelope.Message{Payload: order{n}})
	if err != nil {
		o.tb.Fatal(err)
	}
	ack, err := o.js.Publish(context.Background(), nclprotocol.InSubject(o.node), frame)
	if err != nil {
		o.tb.Fatal(err)
	}
	return ack.Sequence
}

func (o *orchestrator) answer(ctx context.Context, _ string, m *envelope.Message) (*envelope.Message, error) {
	if request, ok := m.Payload.(*nclprotocol.HandshakeRequest); ok {
		return o.handshake(ctx, m.Source, request)
	}
	o.memory.mu.Lock()
	defer o.memory.mu.Unlock()
	known := m.Source == o.memory.session
	if r, ok := m.Payload.(*nclprotocol.OfferRequest); ok {
		return o.memory.offered(anOffer{*r, m.Source}, known)
	}
	if !known {
		o.memory.foreign++
	}
	return &envelope.Message{Payload: o.memory.answer(m.Payload, known)}, nil
}

func (m *memory) answer(request any, known bool) any {
	switch r := request.(type) {
	case *nclprotocol.HeartbeatRequest:
		if !known || m.gap {
			return nclprotocol.HeartbeatResponse{HandshakeRequired: true, Reason: fmt.Sprintf("known %v, gap %v", known, m.gap)}
		}
		m.heartbeats = append(m.heartbeats, *r)
		m.acknowledged = max(m.acknowledged, r.LastSchedulerSequence)
		return nclprotocol.HeartbeatResponse{LastNodeSequence: m.lastNode}
	case *nclprotocol.UpdateNodeInfoRequest:
		m.updates = append(m.updates, r.NodeInfo)
		return nclprotocol.UpdateNodeInfoResponse{Accepted: known, HandshakeRequired: !known}
	case *nclprotocol.ShutdownNoticeRequest:
		m.goodbyes++
		m.acknowledged = max(m.acknowledged, r.LastSchedulerSequence)
		return nclprotocol.ShutdownNoticeResponse{LastNodeSequence: m.lastNode}
	}
	return nil
}

func (m *memory) offered(t anOffer, known bool) (*envelope.Message, error) {
	if m.before {
		return nil, &envelope.TypeError{Type: nclprotocol.TypeOfferRequest}
	}
	m.offers = append(m.offers, t)
	return &envelope.Message{Payload: nclprotocol.OfferResponse{
		Accepted: known && t.Withheld == "", HandshakeRequired: !known, Reason: t.Withheld,
	}}, nil
}

func (o *orchestrator) handshake(ctx context.Context, source string, r *nclprotocol.HandshakeRequest) (*envelope.Message, error) {
	o.memory.look(func(m *memory) { m.handshakes = append(m.handshakes, *r) })
	if o.intake != nil {
		if err := o.intake(r); err != nil {
			return &envelope.Message{Payload: nclprotocol.HandshakeResponse{Reason: err.Error()}}, nil
		}
	}
	stream, err := o.js.Stream(ctx, nclprotocol.InStream)
	if err != nil {
		return nil, err
	}
	answer := o.memory.admit(source, r, stream.CachedInfo().State.LastSeq)
	if answer.Accepted {
		if err := o.replaceConsumer(ctx, stream, answer.StartSchedulerSequence); err != nil {
			return nil, err
		}
	}
	return &envelope.Message{Payload: answer}, nil
}

func (m *memory) admit(source string, r *nclprotocol.HandshakeRequest, newest uint64) nclprotocol.HandshakeResponse {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.Ledger == m.ledger && r.NewestSequence < m.lastNode {
		return nclprotocol.HandshakeResponse{Reason: "the ledger went back in time"}
	}
	if r.Ledger != m.ledger {
		m.ledger, m.lastNode = r.Ledger, 0
	}
	m.session, m.gap = source, false
	start := max(r.LastSchedulerSequence, m.acknowledged) + 1
	if start > newest+1 {
		start, m.acknowledged = 1, 0
	}
	return nclprotocol.HandshakeResponse{Accepted: true, LastNodeSequence: m.lastNode, StartSchedulerSequence: start}
}

func (o *orchestrator) replaceConsumer(ctx context.Context, stream jetstream.Stream, start uint64) error {
	err := stream.DeleteConsumer(ctx, nclprotocol.InConsumer(o.node))
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return err
	}
	_, err = stream.CreateConsumer(ctx, nclprotocol.InConsumerLayout(o.node, start))
	return err
}

// follow reads the events of nodes from the start: what is known already counts as duplicate.
func (o *orchestrator) follow() {
	o.tb.Helper()
	c, err := o.js.OrderedConsumer(o.tb.Context(), nclprotocol.OutStream, jetstream.OrderedConsumerConfig{})
	if err != nil {
		o.tb.Fatal(err)
	}
	o.events, err = c.Consume(func(m jetstream.Msg) {
		event, err := o.data.Decode(m.Data())
		if err != nil {
			o.tb.Error(err)
			return
		}
		o.memory.take(event)
	})
	if err != nil {
		o.tb.Fatal(err)
	}
}

func (m *memory) take(event *envelope.Message) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case event.Source != m.ledger || event.Sequence <= m.lastNode:
		m.duplicates++
	case event.Previous > m.lastNode:
		m.gap = true
	default:
		m.lastNode = event.Sequence
		m.handled = append(m.handled, *event.Payload.(*happening))
	}
}

// refuseVersion answers control requests as a scheduler of another version does.
func refuseVersion(tb testing.TB, nc *nats.Conn, node string) {
	tb.Helper()
	_, err := nc.Subscribe(nclprotocol.ControlSubject(node), func(m *nats.Msg) {
		answer := nats.NewMsg(m.Reply)
		answer.Header.Set("Oc-Error", "unknown message version 1: this side speaks version 2")
		_ = m.RespondMsg(answer)
	})
	if err != nil {
		tb.Fatal(err)
	}
}
