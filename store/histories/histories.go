package histories

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
	"oc-scheduler/store/kv"
)

// Histories is the stream. It is safe for concurrent use.
type Histories struct {
	js       jetstream.JetStream
	bound    jetstream.Stream
	replicas int
}

// Open makes the stream, or verifies the one that stands. It fails as jet.EnsureStream does.
func Open(ctx context.Context, js jetstream.JetStream, replicas int) (*Histories, error) {
	h := &Histories{js: js, replicas: replicas}
	var err error
	h.bound, err = h.ensure(ctx)
	return h, err
}

func (h *Histories) ensure(ctx context.Context) (jetstream.Stream, error) {
	ctx, cancel := context.WithTimeout(ctx, kv.AttemptTimeout)
	defer cancel()
	bound, err := jet.EnsureStream(ctx, h.js, layout(h.replicas))
	if err != nil && !jet.NeedsOperator(err) {
		err = fmt.Errorf("stream %s: %w", Stream, err)
	}
	return bound, err
}

// Newest reads what stands on a subject last; sequence 0: nothing does. Any member of a cluster may answer, also one that is
// behind: who then writes finds that out. It fails with kv.ErrUnavailable.
func (h *Histories) Newest(ctx context.Context, subject string) (m kv.Message, err error) {
	ctx, cancel := context.WithTimeout(ctx, kv.AttemptTimeout)
	defer cancel()
	last, err := h.bound.GetLastMsgForSubject(ctx, subject)
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return kv.Message{}, nil
	case err != nil:
		return kv.Message{}, away(err)
	}
	return kv.Message{Revision: last.Sequence, Header: last.Header, Data: last.Data, Stored: last.Time}, nil
}

// Replace stores what takes the place of what stands on a subject at a sequence; 0: of nothing. It fails as put does:
// with kv.ErrConflict when something else has followed, and with kv.ErrUnavailable, after which it may have been stored.
func (h *Histories) Replace(ctx context.Context, subject string, of uint64, data []byte) (uint64, error) {
	return h.put(ctx, subject, of, nats.Header{jetstream.MsgRollup: {jetstream.MsgRollupSubject}}, data)
}

// put stores what follows on a subject what stands there at a sequence.
func (h *Histories) put(ctx context.Context, subject string, after uint64, header nats.Header, data []byte) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, kv.AttemptTimeout)
	defer cancel()
	m := nats.NewMsg(subject)
	m.Data = data
	maps.Copy(m.Header, header)
	m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(after, 10))
	m.Header.Set(jetstream.ExpectedStreamHeader, Stream)
	ack, err := h.js.PublishMsg(ctx, m)
	var api *jetstream.APIError
	switch {
	case errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant):
		return 0, fmt.Errorf("%w: %w", kv.ErrConflict, err)
	case errors.Is(err, jetstream.ErrNoStreamResponse), errors.Is(err, nats.ErrNoResponders): // somebody has removed it
		_, made := h.ensure(ctx)
		return 0, errors.Join(away(err), made)
	case err != nil:
		return 0, away(err)
	}
	return ack.Sequence, nil
}

// away gives an error of the client its meaning here, but for one that the caller's context has.
func away(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("stream %s: %w: %w", Stream, kv.ErrUnavailable, err)
}
