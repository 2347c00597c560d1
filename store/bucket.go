package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"oc-scheduler/jet"
	"oc-scheduler/store/id"
)

// attemptTimeout bounds one request to the server; after it the outcome of a write is unknown.
const attemptTimeout = 3 * time.Second

// bucket is one key-value bucket: it reads the newest message of a key and writes by
// compare-and-swap. Keys are given as the identifiers they stand for.
type bucket struct {
	name      string
	prefix    string // of its subjects
	js        jetstream.JetStream
	stream    jetstream.Stream
	conflicts prometheus.Counter
	refusal   *jet.Refusal
}

func streamName(bucket string) string    { return "KV_" + bucket }
func subjectPrefix(bucket string) string { return "$KV." + bucket + "." }

// subject is where a key is stored. It fails with id.ErrInvalid: a subject of any length would do worse
// than fail, for the server shuts out a client whose control line is too long, and that one never comes
// back.
func (b *bucket) subject(key string) (string, error) {
	if err := id.Check(key); err != nil {
		return "", fmt.Errorf("key of bucket %s: %w", b.name, err)
	}
	return b.prefix + id.Key(key), nil
}

// message is the newest message of a key. Revision 0: there is none.
type message struct {
	Revision uint64
	Header   nats.Header
	Data     []byte
	Stored   time.Time
}

// live says whether the message is a value, not a marker that the value has gone.
func (m message) live() bool { return m.Revision > 0 && !isMarker(m.Header) }

// isMarker recognises the removals of KV clients and those that the server writes when a TTL runs
// out; the latter have no operation.
func isMarker(h nats.Header) bool {
	op := h.Get(opHeader)
	return op == opDelete || op == opPurge || h.Get(jetstream.MarkerReasonHeader) != ""
}

// last reads the newest message of a key from whichever server answers; it may be a marker, or have
// Revision 0. It fails with id.ErrInvalid or ErrUnavailable.
func (b *bucket) last(ctx context.Context, key string) (message, error) {
	subject, err := b.subject(key)
	if err != nil {
		return message{}, err
	}
	attempt, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	m, err := b.stream.GetLastMsgForSubject(attempt, subject)
	switch err := classify(ctx, err); {
	case errors.Is(err, ErrNotFound):
		return message{}, nil
	case err != nil:
		return message{}, err
	}
	return message{Revision: m.Sequence, Header: m.Header, Data: m.Data, Stored: m.Time}, nil
}

// value reads the newest value of a key: what was acknowledged before is in it, whoever asks. It
// fails with ErrNotFound or ErrUnavailable.
func (b *bucket) value(ctx context.Context, key string) (message, error) {
	m, err := b.newest(ctx, key)
	if err == nil && !m.live() {
		err = ErrNotFound
	}
	return m, err
}
