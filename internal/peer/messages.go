package peer

import (
	"encoding/json"

	"oc-scheduler/internal/peer/ledger"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// creator makes messages of the ledger's events.
type creator struct{}

var _ nclprotocol.MessageCreator = creator{}

// CreateMessage makes the message of a change; other events are the node's own.
func (creator) CreateMessage(e watcher.Event) (*envelope.Message, error) {
	switch e.ObjectType {
	case nclprotocol.TypeExecutionChanged, nclprotocol.TypeBookingChanged: // recorded as they are sent
		return &envelope.Message{Header: envelope.Header{Type: e.ObjectType}, Payload: e.Object}, nil
	case nclprotocol.TypeRunExecution:
		var order nclprotocol.RunExecution
		if err := json.Unmarshal(e.Object, &order); err != nil {
			return nil, err
		}
		return &envelope.Message{Payload: ledger.Queued(e, order)}, nil
	}
	return nil, nil
}
