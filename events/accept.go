package events

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/store/id"
)

// Arrival says when and as what an event came onto the bus.
type Arrival struct {
	Seq  uint64    // its sequence in OC_BUS
	Time time.Time // when OC_BUS stored it
	Bus  time.Time // when OC_BUS was created: a later one starts its sequences again
	// Again says that it was delivered before: it may have been handled.
	Again bool
	// Groups are those that its envelope names.
	Groups []string
}

// Handler acts on events. A Rejection keeps the message as a dead letter; any other error has it
// delivered again, ever later unless it is ErrAway; after ErrIgnored nothing follows. Payloads may be kept, but must not be changed.
type Handler interface {
	// PlannerPublished is called with a planner that nobody has validated yet.
	PlannerPublished(ctx context.Context, a Arrival, planner []byte) error
	// PlannerAsked is called when somebody else asks for the planner of a peer, with a valid id.
	PlannerAsked(ctx context.Context, a Arrival, peerID string) error
	// WorkflowCreated is called with a workflow that nobody has validated yet.
	WorkflowCreated(ctx context.Context, a Arrival, workflow []byte) error
	// WorkflowRemoved is called with a valid id.
	WorkflowRemoved(ctx context.Context, a Arrival, id string) error
}

type kind byte

const (
	plannerPublished kind = 'p'
	plannerAsked     kind = 'a'
	workflowCreated  kind = 'w'
	workflowRemoved  kind = 'r'
)

// event is an accepted message.
type event struct {
	kind    kind
	id      string // of the peer or workflow; "" when the payload does not say: the handler will reject it
	payload []byte
	groups  []string // of the envelope
}

func (e event) deliver(ctx context.Context, h Handler, a Arrival) error {
	a.Groups = e.groups
	switch e.kind {
	case plannerPublished:
		return h.PlannerPublished(ctx, a, e.payload)
	case plannerAsked:
		return h.PlannerAsked(ctx, a, e.id)
	case workflowCreated:
		return h.WorkflowCreated(ctx, a, e.payload)
	default:
		return h.WorkflowRemoved(ctx, a, e.id)
	}
}

// accept decides what a message is. It fails with errSkipped for what is not for us and with a
// Rejection for what is bad.
func accept(subject string, header nats.Header, data []byte) (event, error) {
	if subject == Propagation && header.Get(HeaderComposed) != "" {
		return event{}, errSkipped
	}
	envelope, err := DecodeEnvelope(data)
	if err != nil {
		return event{}, Reject(ReasonUndecodable, "envelope: %v", err)
	}
	switch {
	case subject == Propagation && envelope.FromApp == FromDiscovery:
		return acceptPropagated(envelope.Payload)
	case subject == Propagation && envelope.FromApp != FromScheduler:
		question, err := acceptQuestion(envelope.Payload)
		if errors.Is(err, errMistaken) {
			err = fmt.Errorf("%w: from_app is %.100q", errMistaken, envelope.FromApp)
		}
		return question, err
	case subject == CreateResource && strings.EqualFold(envelope.Datatype, DatatypeWorkflow):
		created, err := named(workflowCreated, envelope.Payload, "id")
		created.groups = envelope.Groups
		return created, err
	case subject == RemoveResource && strings.EqualFold(envelope.Datatype, DatatypeWorkflow):
		return acceptRemoval(envelope.Payload)
	}
	return event{}, errSkipped
}

func acceptPropagated(payload []byte) (event, error) {
	p, err := DecodePropagated(payload)
	if err != nil {
		return event{}, Reject(ReasonUndecodable, "payload: %v", err)
	}
	if !strings.EqualFold(p.Action, ActionPlanner) {
		return event{}, errSkipped
	}
	return named(plannerPublished, p.Payload, "peer_id")
}

// acceptQuestion takes the request for a planner, whose payload is a peer_id and nothing else. Whatever else
// others say to each other is none of our business, and not for us to judge.
func acceptQuestion(payload []byte) (event, error) {
	p, err := DecodePropagated(payload)
	if err != nil || !strings.EqualFold(p.Action, ActionPlanner) {
		return event{}, errSkipped
	}
	e := event{kind: plannerAsked}
	err = readObject(p.Payload, func(o object, name string) (err error) {
		switch name {
		case "peer_id":
		case "capacities":
			return errMistaken
		default:
			return errSkipped
		}
		e.id, err = o.text(name)
		return err
	})
	switch {
	case errors.Is(err, errMistaken):
		return event{}, errMistaken
	case err != nil || id.Check(e.id) != nil:
		return event{}, errSkipped
	}
	return e, nil
}

var errFound = errors.New("found")

// named looks no further into the payload than to the member that says whose it is; the handler
// reads it once more, as a whole.
func named(k kind, payload []byte, member string) (event, error) {
	whose, ok := plainFirst(payload, member)
	if !ok {
		var err error
		if whose, err = find(payload, member); err != nil {
			return event{}, Reject(ReasonUndecodable, "payload: %v", err)
		}
	}
	return event{kind: k, id: whose, payload: payload}, nil
}

// find is the text of a member, "" when that has none.
func find(data []byte, member string) (text string, err error) {
	err = readObject(data, func(o object, name string) (err error) {
		if name != member {
			return o.SkipValue()
		}
		if text, err = o.lenientText(); err != nil {
			return err
		}
		return errFound
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return text, err
}

func acceptRemoval(payload []byte) (event, error) {
	e := event{kind: workflowRemoved}
	err := readObject(payload, func(o object, name string) (err error) {
		if name == "id" {
			e.id, err = o.lenientText()
			return err
		}
		return o.SkipValue()
	})
	if err != nil {
		return event{}, Reject(ReasonUndecodable, "payload: %v", err)
	}
	if err := id.Check(e.id); err != nil {
		return event{}, Reject(ReasonInvalidID, "$.id: %v", err)
	}
	return e, nil
}
