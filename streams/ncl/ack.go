package ncl

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/streams/envelope"
)

// exceedsMaximum is the code of a message that is larger than its stream allows (nats-server,
// JSStreamMessageExceedsMaximumErr).
const exceedsMaximum jetstream.ErrorCode = 10054

// parseAck reads what JetStream answers to a message (nats-server, JSPubAckResponse). It fails with
// ErrNoResponders when no stream has the subject, with envelope.ErrTooLarge, with a
// *jetstream.APIError, or with jetstream.ErrInvalidJSAck.
func parseAck(m *nats.Msg) (sequence uint64, err error) {
	if sequence, ok := plainAck(m.Data); ok {
		return sequence, nil
	}
	if len(m.Data) == 0 && m.Header.Get("Status") == "503" {
		return 0, fmt.Errorf("%w: no stream has the subject", ErrNoResponders)
	}
	var ack struct {
		Error *jetstream.APIError `json:"error"`
		*jetstream.PubAck
	}
	switch err := json.Unmarshal(m.Data, &ack); {
	case err != nil:
		return 0, fmt.Errorf("%w: %w", jetstream.ErrInvalidJSAck, err)
	case ack.Error != nil && ack.Error.ErrorCode == exceedsMaximum:
		return 0, fmt.Errorf("%w: %w", envelope.ErrTooLarge, ack.Error)
	case ack.Error != nil:
		return 0, ack.Error
	case ack.PubAck == nil || ack.Stream == "" || ack.Sequence == 0:
		return 0, jetstream.ErrInvalidJSAck
	}
	return ack.Sequence, nil
}

// plainAck reads the form that all but few answers have: {"stream":"S","seq":1}.
func plainAck(data []byte) (sequence uint64, ok bool) {
	rest, ok := bytes.CutPrefix(data, []byte(`{"stream":"`))
	if !ok {
		return 0, false
	}
	_, rest, ok = bytes.Cut(rest, []byte(`","seq":`))
	if !ok || len(rest) < 2 || len(rest) > 20 || rest[len(rest)-1] != '}' {
		return 0, false
	}
	for _, c := range rest[:len(rest)-1] {
		if c < '0' || c > '9' {
			return 0, false
		}
		sequence = 10*sequence + uint64(c-'0')
	}
	return sequence, sequence > 0
}
