package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

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

// fromLeader reads by a request whose answer keeps the headers of the message apart from its own.
func (b *bucket) fromLeader(ctx context.Context, key string) (message, error) {
	subject, err := b.subject(key)
	if err != nil {
		return message{}, err
	}
	attempt, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	request, err := json.Marshal(map[string]string{"last_by_subj": subject})
	if err != nil {
		return message{}, err
	}
	reply, err := jet.Hedged(attempt, func(ctx context.Context) (*nats.Msg, error) {
		return b.js.Conn().RequestWithContext(ctx, jetstream.DefaultAPIPrefix+"STREAM.MSG.GET."+streamName(b.name), request)
	})
	if err != nil {
		return message{}, classify(ctx, err)
	}
	m, err := leaderReply(reply.Data)
	switch err := classify(ctx, err); {
	case errors.Is(err, ErrNotFound):
		return message{}, nil
	case err != nil:
		return message{}, err
	}
	return m, nil
}

// leaderReply reads the answer to STREAM.MSG.GET (nats-server, JSApiMsgGetResponse).
func leaderReply(data []byte) (message, error) {
	var reply struct {
		Error   *jetstream.APIError `json:"error"`
		Message *struct {
			Sequence uint64    `json:"seq"`
			Header   []byte    `json:"hdrs"`
			Data     []byte    `json:"data"`
			Time     time.Time `json:"time"`
		} `json:"message"`
	}
	if err := json.Unmarshal(data, &reply); err != nil {
		return message{}, fmt.Errorf("answer of the stream's leader: %w", err)
	}
	if reply.Error != nil {
		return message{}, reply.Error
	}
	if reply.Message == nil {
		return message{}, jetstream.ErrInvalidJetStreamResponse
	}
	m := message{Revision: reply.Message.Sequence, Data: reply.Message.Data, Stored: reply.Message.Time}
	if len(reply.Message.Header) > 0 {
		h, err := nats.DecodeHeadersMsg(reply.Message.Header)
		if err != nil {
			return message{}, fmt.Errorf("answer of the stream's leader: %w", err)
		}
		m.Header = h
	}
	return m, nil
}
