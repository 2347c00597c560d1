package kv

import (
	"context"
	"errors"

	"oc-scheduler/jet"
)

// Newest reads the newest message of a key as Last does, but in a cluster it asks the stream's
// leader: any member may answer a direct read, also one that lags behind a write of a moment ago.
// That is good enough for what a compare-and-swap follows, not for deciding that nothing is to be
// done. A server that is alone is asked again, too, when the direct read brings no message: the
// client takes one without body and with a header named Status for an answer that there is none. It
// fails with id.ErrInvalid or ErrUnavailable.
func (k *Keys) Newest(ctx context.Context, key Key) (Message, error) {
	if k.replicas == 1 {
		if m, err := k.Last(ctx, key); m.Revision > 0 || Unknown(err) || ctx.Err() != nil {
			return m, err
		}
	}
	return k.fromLeader(ctx, key)
}

func (k *Keys) fromLeader(ctx context.Context, key Key) (Message, error) {
	subject, err := k.subject(key)
	if err != nil {
		return Message{}, err
	}
	attempt, cancel := context.WithTimeout(ctx, AttemptTimeout)
	defer cancel()
	m, err := jet.Newest(attempt, k.js, k.Name(), subject)
	switch err := classify(ctx, err); {
	case errors.Is(err, ErrNotFound):
		return Message{}, nil
	case err != nil:
		return Message{}, err
	}
	return Message{Revision: m.Sequence, Header: m.Header, Data: m.Data, Stored: m.Time}, nil
}
