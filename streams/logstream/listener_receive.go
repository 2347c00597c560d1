package logstream

import (
	"context"

	"github.com/nats-io/nats.go"

	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// receive handles a message of a reader.
func (l *Listener) receive(ctx context.Context, m *nats.Msg) {
	name, err := streamOf(m)
	if err != nil {
		l.cfg.Logger.DebugContext(ctx, "dropped a message", "error", err)
		return
	}
	message, err := l.codec.Decode(m.Data)
	if err != nil {
		l.refuse(ctx, name, err)
		return
	}
	switch p := message.Payload.(type) {
	case *openRequest:
		l.open(ctx, name, p)
	case *credit:
		l.credit(ctx, name, p.Allowed)
	case *closing:
		if s := l.streams[name]; s != nil {
			s.stop(errReaderGone)
		}
	}
}

// refuse answers what can't be read in a way that every version reads.
func (l *Listener) refuse(ctx context.Context, stream string, reason error) {
	m := nats.NewMsg(nclprotocol.LogStreamSubject(l.cfg.NodeID, stream))
	m.Header.Set(errorHeader, ncl.Reason(reason.Error()))
	if err := l.cfg.Conn.PublishMsg(m); err != nil {
		l.cfg.Logger.DebugContext(ctx, "a refusal was not sent", "stream", stream, "reason", reason, "error", err)
	}
}

func (l *Listener) open(ctx context.Context, name string, r *openRequest) {
	if s := l.streams[name]; s != nil {
		s.heard = l.cfg.Clock.Now()
		return
	}
	s := l.newStream(name)
	if err := r.Validate(); err != nil {
		s.end(ctx, ending{codeInvalid, ncl.Reason(err.Error())})
		return
	}
	if len(l.streams) >= l.cfg.MaxStreams {
		s.end(ctx, ending{codeBusy, "the node serves as many readers as it may"})
		return
	}
	s.grant(r.Allowed)
	ctx, s.stop = context.WithCancelCause(ctx)
	l.streams[name] = s
	l.work.Go(func() {
		s.run(ctx, r.Request)
		l.ended <- s
	})
}

func (l *Listener) credit(ctx context.Context, name string, allowed uint64) {
	s := l.streams[name]
	if s == nil {
		l.newStream(name).end(ctx, ending{Code: codeUnknown})
		return
	}
	s.heard = l.cfg.Clock.Now()
	s.grant(allowed)
}
