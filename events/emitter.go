package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ErrMaybeHeard says that OC_BUS did not acknowledge a message that may have been heard all the same:
// while the stream elects a leader, plain subscribers go on listening.
var ErrMaybeHeard = errors.New("the bus did not answer in time")

// Emitter speaks on the bus. Each call returns when OC_BUS has stored the message, so that one which
// is sent while no stream listens is an error and not lost unseen. A call that fails with
// ErrMaybeHeard may have been heard; any other failure says that nobody was told.
type Emitter struct{ js jetstream.JetStream }

// NewEmitter makes an Emitter.
func NewEmitter(js jetstream.JetStream) *Emitter { return &Emitter{js} }

// RequestPlanner asks oc-discovery for the planner of a peer.
func (e *Emitter) RequestPlanner(ctx context.Context, peerID string) error {
	return e.name(ctx, ActionPlanner, peerID, "")
}

// ClosePlanner tells oc-discovery that the planner of a peer is no longer wanted. The message bears an id,
// by which Said finds it.
func (e *Emitter) ClosePlanner(ctx context.Context, peerID, id string) error {
	return e.name(ctx, ActionClosePlanner, peerID, id)
}

// AnswerPlanner tells a composed planner, given as JSON, as oc-discovery would. The message bears an id, by
// which Said finds it.
func (e *Emitter) AnswerPlanner(ctx context.Context, planner []byte, id string) error {
	m := nats.NewMsg(Propagation)
	m.Header.Set(HeaderComposed, "true")
	return e.propagate(ctx, m, FromDiscovery, Propagated{Action: ActionPlanner, Payload: planner}, id)
}

// name says something of a peer.
func (e *Emitter) name(ctx context.Context, action, peerID, id string) error {
	payload, err := json.Marshal(struct {
		PeerID string `json:"peer_id"`
	}{peerID})
	if err != nil {
		return fmt.Errorf("%s: %w", action, err)
	}
	return e.propagate(ctx, nats.NewMsg(Propagation), FromScheduler, Propagated{Action: action, Payload: payload}, id)
}

// Created tells that a resource was made, or has changed; Removed that it is there no more. Groups are those that it
// belongs to. The message bears an id: within two minutes OC_BUS takes no other one of the same.
func (e *Emitter) Created(ctx context.Context, datatype string, groups []string, payload []byte, id string) error {
	return e.resource(ctx, CreateResource, datatype, groups, payload, id)
}

// Removed is told like Created.
func (e *Emitter) Removed(ctx context.Context, datatype string, groups []string, payload []byte, id string) error {
	return e.resource(ctx, RemoveResource, datatype, groups, payload, id)
}

func (e *Emitter) resource(ctx context.Context, subject, datatype string, groups []string, payload []byte, id string) (err error) {
	m := nats.NewMsg(subject)
	m.Data, err = Envelope{FromApp: FromScheduler, Datatype: datatype, Groups: groups, Payload: payload}.Encode()
	if err != nil {
		return fmt.Errorf("%s %s: %w", subject, datatype, err)
	}
	return e.send(ctx, m, datatype, id)
}

func (e *Emitter) propagate(ctx context.Context, m *nats.Msg, from string, p Propagated, id string) error {
	payload, err := p.Encode()
	if err == nil {
		m.Data, err = Envelope{FromApp: from, Payload: payload}.Encode()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.Action, err)
	}
	return e.send(ctx, m, p.Action, id)
}

// send has a message stored on the bus; what says what it is about.
func (e *Emitter) send(ctx context.Context, m *nats.Msg, what, id string) error {
	// Without retries: a second copy would reach plain subscribers, whom no stream protects.
	options := []jetstream.PublishOpt{jetstream.WithExpectStream(Stream), jetstream.WithRetryAttempts(0)}
	if id != "" {
		options = append(options, jetstream.WithMsgID(id))
	}
	_, err := e.js.PublishMsg(ctx, m, options...)
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return fmt.Errorf("%s: %w: %w", what, ErrMaybeHeard, err)
	case err != nil:
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
