package kv

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// AttemptTimeout bounds one request to the server; after it the outcome of a write is unknown.
const AttemptTimeout = 3 * time.Second

// Keys are a space on the server: they read the newest message of a key and write by compare-and-swap.
type Keys struct {
	*Stream
	Space
}

// subject is where a key is stored. It fails with id.ErrInvalid: a subject of any length would do worse
// than fail, for the server shuts out a client whose control line is too long, and that one never comes
// back.
func (k *Keys) subject(key Key) (string, error) {
	if _, err := key.IDs(k.Tokens); err != nil {
		return "", fmt.Errorf("key of %s: %w", k.Bucket, err)
	}
	return k.Prefix + string(key), nil
}

// Message is the newest message of a key. Revision 0: there is none.
type Message struct {
	Revision uint64
	Header   nats.Header
	Data     []byte
	Stored   time.Time // by the server's clock
}

// Live says whether the message is a value, not a marker that the value has gone.
func (m Message) Live() bool { return m.Revision > 0 && !IsMarker(m.Header) }

// HasTTL says whether the value ends by itself.
func (m Message) HasTTL() bool {
	ttl := m.Header.Get(jetstream.MsgTTLHeader)
	return ttl != "" && ttl != "never"
}

// IsMarker recognises the removals of KV clients and those that the server writes when a TTL runs
// out; the latter have no operation.
func IsMarker(h nats.Header) bool {
	op := h.Get(opHeader)
	return op == opDelete || op == opPurge || h.Get(jetstream.MarkerReasonHeader) != ""
}

// Lapsed recognises the marker of a value whose time was up.
func Lapsed(h nats.Header) bool { return h.Get(jetstream.MarkerReasonHeader) == markerMaxAge }

const markerMaxAge = "MaxAge" // nats-server, JSMarkerReasonMaxAge

// Last reads the newest message of a key from whichever server answers; it may be a marker, or have
// Revision 0. It fails with id.ErrInvalid or ErrUnavailable.
func (k *Keys) Last(ctx context.Context, key Key) (Message, error) {
	subject, err := k.subject(key)
	if err != nil {
		return Message{}, err
	}
	attempt, cancel := context.WithTimeout(ctx, AttemptTimeout)
	defer cancel()
	m, err := k.bound.GetLastMsgForSubject(attempt, subject)
	switch err := classify(ctx, err); {
	case errors.Is(err, ErrNotFound):
		return Message{}, nil
	case err != nil:
		return Message{}, err
	}
	return Message{Revision: m.Sequence, Header: m.Header, Data: m.Data, Stored: m.Time}, nil
}

// Value reads the newest value of a key: what was acknowledged before is in it, whoever asks. It
// fails with ErrNotFound, id.ErrInvalid or ErrUnavailable.
func (k *Keys) Value(ctx context.Context, key Key) (Message, error) {
	m, err := k.Newest(ctx, key)
	if err == nil && !m.Live() {
		err = ErrNotFound
	}
	return m, err
}
