package kv

import (
	"context"
	"fmt"
	"iter"

	"github.com/nats-io/nats.go/jetstream"
)

// Reading is one value as it stands in a space.
type Reading[T any] struct {
	Key    Key
	Value  T
	HasTTL bool  // it ends by itself
	Err    error // the value, or its key, cannot be read; Value is then the zero value
}

// Read reads all values of a space past the views, one at a time. It neither changes nor leaves anything on
// the server, and ends with an error that is ErrUnavailable when the space cannot be read, or not to its
// end. What is written meanwhile may show or not.
func Read[T any](ctx context.Context, js jetstream.JetStream, space Space, decode Decode[T]) iter.Seq2[Reading[T], error] {
	return func(yield func(Reading[T], error) bool) {
		for kept, err := range readMessages(ctx, js, space) {
			if err != nil {
				yield(Reading[T]{}, fmt.Errorf("bucket %s: %w", space.Bucket, classify(ctx, err)))
				return
			}
			if !kept.Live() {
				continue
			}
			value, err := decoded(space, kept.key, kept.Message, decode)
			if !yield(Reading[T]{kept.key, value, kept.HasTTL(), err}, nil) {
				return
			}
		}
	}
}
