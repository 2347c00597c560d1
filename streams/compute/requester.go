package compute

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/streams/deadline"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/guard"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// requester names and numbers the control messages of one session, so that the scheduler knows those
// of an earlier one, and old ones.
type requester struct {
	ncl.Publisher
	session string
	clock   clockwork.Clock
	count   atomic.Uint64
}

// Publish is that of the Publisher, with a header.
func (r *requester) Publish(ctx context.Context, p ncl.PublishRequest) error {
	return r.Publisher.Publish(ctx, r.stamp(p))
}

// Request is that of the Publisher, with a header.
func (r *requester) Request(ctx context.Context, p ncl.PublishRequest) (*envelope.Message, error) {
	return r.Publisher.Request(ctx, r.stamp(p))
}

func (r *requester) stamp(p ncl.PublishRequest) ncl.PublishRequest {
	m := *p.Message
	m.Source, m.Sequence, m.Time = r.session, r.count.Add(1), r.clock.Now().UTC()
	p.Message = &m
	return p
}

// controlCodec knows the control messages, whatever the registry of the data plane holds, and has room for an
// offer, whatever the data plane's longest message is.
func controlCodec(s envelope.MessageSerializer) (envelope.Codec, error) {
	if frames, ours := s.(envelope.Serializer); ours {
		frames.MaxBytes = max(frames.MaxBytes, nclprotocol.MaxControl)
		s = frames
	}
	registry := envelope.NewRegistry()
	err := nclprotocol.RegisterControl(registry)
	return envelope.Codec{Serializer: s, Registry: registry}, err
}

// ask sends a control request and reads its answer. It fails as ncl.Publisher.Request does, or when
// the answer is of another type.
func ask[Answer any](ctx context.Context, c *Config, p ncl.Publisher, request any) (*Answer, error) {
	ctx, cancel := deadline.WithTimeout(ctx, c.Clock, c.RequestTimeout)
	defer cancel()
	m, err := p.Request(ctx, ncl.PublishRequest{
		Subject: nclprotocol.ControlSubject(c.NodeID),
		Message: &envelope.Message{Payload: request},
	})
	switch {
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded): // whatever a context made of it says
		return nil, fmt.Errorf("no answer within %v: %w", c.RequestTimeout, ctx.Err())
	case err != nil:
		return nil, err
	}
	answer, ok := m.Payload.(*Answer)
	if !ok {
		return nil, fmt.Errorf("a %s is no answer to a %T", m.Type, request)
	}
	return answer, nil
}

// tell returns the node's info, with the name by which its subjects are made. It fails when the provider
// panics.
func tell(ctx context.Context, c *Config) (info nclprotocol.NodeInfo, err error) {
	err = guard.Apart(func() error {
		info = c.NodeInfoProvider.GetNodeInfo(ctx)
		return nil
	})
	info.NodeID = c.NodeID
	return info, wrap("node info", err)
}
