package store

import (
	"context"
	"errors"

	"oc-scheduler/jet"
)

// newest reads the newest message of a key as last does, but in a cluster it asks the stream's
// leader: any member may answer a direct read, also one that lags behind a write of a moment ago.
// That is good enough for what a compare-and-swap follows, not for deciding that nothing is to be
// done. A server that is alone is asked again, too, when the direct read brings no message: the
// client takes one without body and with a header named Status for an answer that there is none. It
// fails with id.ErrInvalid or ErrUnavailable.
func (b *bucket) newest(ctx context.Context, key string) (message, error) {
	if b.stream.CachedInfo().Config.Replicas == 1 {
		if m, err := b.last(ctx, key); m.Revision > 0 || outcomeUnknown(err) || ctx.Err() != nil {
			return m, err
		}
	}
	return b.fromLeader(ctx, key)
}

func (b *bucket) fromLeader(ctx context.Context, key string) (message, error) {
	subject, err := b.subject(key)
	if err != nil {
		return message{}, err
	}
	attempt, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	m, err := jet.Newest(attempt, b.js, streamName(b.name), subject)
	switch err := classify(ctx, err); {
	case errors.Is(err, ErrNotFound):
		return message{}, nil
	case err != nil:
		return message{}, err
	}
	return message{Revision: m.Sequence, Header: m.Header, Data: m.Data, Stored: m.Time}, nil
}
