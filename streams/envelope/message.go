package envelope

import "time"

// Version is that of the frame and of all messages of the protocol.
const Version = 1

// Header tells what a message is and where it stands in its sender's order.
type Header struct {
	// Type names the payload's type, as registered.
	Type string `json:"type"`
	// Source names the numbering that Sequence belongs to, e.g. a node's ledger or a session.
	Source string `json:"source,omitempty"`
	// Sequence is the message's place in that numbering, from 1; 0: it has none.
	Sequence uint64 `json:"sequence,omitempty"`
	// Previous is the Sequence of the message before it, so that a reader sees a gap; 0: it is the first.
	Previous uint64 `json:"previous,omitempty"`
	// Time is when the sender made the message.
	Time time.Time `json:"time,omitzero"`
}

// Message is a header with its payload: a value of a registered type or a pointer to one when it is
// to be sent, a pointer when it was received.
type Message struct {
	Header
	Payload any
	// StoredAt is when the stream stored it through which it came; zero: it came through none. It is not sent.
	StoredAt time.Time
}

// EncodedMessage is a message whose payload is bytes.
type EncodedMessage struct {
	Header
	Payload []byte
}

// MessageSerializer turns messages into frames and back.
type MessageSerializer interface {
	// Serialize writes the frame of m. It fails with ErrTooLarge, and for a time beyond the year 9999.
	Serialize(m *EncodedMessage) ([]byte, error)
	// Deserialize reads a frame. It fails with a *VersionError, or with ErrDamaged or ErrTooLarge. The
	// payload of the result aliases data.
	Deserialize(data []byte) (*EncodedMessage, error)
}
