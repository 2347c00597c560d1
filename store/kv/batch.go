package kv

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/synadia-io/orbit.go/jetstreamext"
)

// MaxBatch is how many keys one Batch may change: what the server takes (nats-server, streamDefaultMaxBatchSize).
const MaxBatch = 1000

// Batch changes keys of one stream together: all or nothing, and nothing when any of them is no longer as
// the batch has read it. It belongs to one goroutine.
type Batch struct {
	stream  *Stream
	read    map[string]Message // by subject
	changes []change           // in the order in which they were set
	at      map[string]int     // by subject: where in changes
}

// change is what a key is to become.
type change struct {
	keys    *Keys
	key     Key
	subject string
	Attempt
}

// NewBatch begins a batch, which has read and changed nothing.
func (s *Stream) NewBatch() *Batch {
	return &Batch{stream: s, read: map[string]Message{}, at: map[string]int{}}
}

// Load reads keys in one request, for Message to find. It fails with id.ErrInvalid or ErrUnavailable.
func (b *Batch) Load(ctx context.Context, keys *Keys, all ...Key) error {
	fresh := map[string]Message{}
	for _, key := range all {
		subject, err := keys.subject(key)
		if err != nil {
			return err
		}
		if _, known := b.read[subject]; !known {
			fresh[subject] = Message{}
		}
	}
	for part := range slices.Chunk(slices.Collect(maps.Keys(fresh)), batchMessages) {
		if err := b.load(ctx, part, fresh); err != nil {
			return err
		}
	}
	maps.Copy(b.read, fresh)
	return nil
}

func (b *Batch) load(ctx context.Context, subjects []string, into map[string]Message) error {
	attempt, cancel := context.WithTimeout(ctx, AttemptTimeout)
	defer cancel()
	found, err := jetstreamext.GetLastMsgsFor(attempt, b.stream.js, b.stream.Name(), subjects)
	if err != nil {
		return classify(ctx, err)
	}
	for m, err := range found {
		switch {
		case errors.Is(err, jetstreamext.ErrNoMessages):
			return nil
		case err != nil:
			return classify(ctx, err)
		}
		into[m.Subject] = Message{m.Sequence, m.Header, m.Data, m.Time}
	}
	return nil
}

// Message is the newest message of a key as this batch has read it. It fails as Load does.
func (b *Batch) Message(ctx context.Context, keys *Keys, key Key) (Message, error) {
	if err := b.Load(ctx, keys, key); err != nil {
		return Message{}, err
	}
	return b.read[keys.Prefix+string(key)], nil
}

// Set says what a key is to become that Message has shown; set again, it becomes the last of them. It fails
// with ErrUnstorable for another key, with ErrTooLarge when there are too many, and with id.ErrInvalid.
func (b *Batch) Set(keys *Keys, key Key, w *Write) error {
	m, known := b.read[keys.Prefix+string(key)]
	if !known {
		return fmt.Errorf("%w: %s is set that was not read", ErrUnstorable, key)
	}
	return b.SetAt(keys, key, m.Revision, w)
}

// SetAt is Set for a key whose revision is known otherwise; 0: it has none.
func (b *Batch) SetAt(keys *Keys, key Key, revision uint64, w *Write) error {
	subject, err := keys.subject(key)
	if err != nil {
		return err
	}
	c := change{keys, key, subject, Attempt{revision, w}}
	if i, set := b.at[subject]; set {
		b.changes[i] = c
		return nil
	}
	if len(b.changes) == MaxBatch {
		return fmt.Errorf("%w: a batch changes %d keys at most", ErrTooLarge, MaxBatch)
	}
	b.at[subject] = len(b.changes)
	b.changes = append(b.changes, c)
	return nil
}
