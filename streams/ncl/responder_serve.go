package ncl

import (
	"context"
	"errors"
	"strings"

	"github.com/nats-io/nats.go"

	"oc-scheduler/streams/envelope"
)

// serve answers a request when its turn comes, unless that is too late.
func (r *Responder) serve(ctx context.Context, m *nats.Msg) {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		r.refuse(ctx, m, "busy")
		return
	}
	answer, err := r.answer(ctx, m)
	if err != nil {
		r.refuse(ctx, m, r.reason(ctx, m.Subject, err))
		return
	}
	r.respond(ctx, m, &nats.Msg{Data: answer})
}

func (r *Responder) answer(ctx context.Context, m *nats.Msg) ([]byte, error) {
	request, err := decode(r.Codec, m.Data)
	switch {
	case IsPermanent(err): // it panicked: that is no matter of the other side
		return nil, err
	case err != nil:
		if r.Unread != nil {
			r.Unread(ctx, m.Subject, err)
		}
		return nil, &RefusedError{err.Error()}
	}
	var answer *envelope.Message
	err = guarded(func() (err error) {
		answer, err = r.Handler.HandleRequest(ctx, m.Subject, request)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case answer == nil:
		return nil, errors.New("handler gave no answer")
	}
	return encode(r.Codec, answer)
}

// reason is what the other side is told; what it isn't is logged.
func (r *Responder) reason(ctx context.Context, subject string, err error) string {
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		return refused.Reason
	}
	if unknown, ok := errors.AsType[*envelope.TypeError](err); ok {
		return unknown.Error()
	}
	r.Logger.ErrorContext(ctx, "request failed", "request_subject", subject, "error", err)
	if ctx.Err() != nil {
		return "took too long"
	}
	return "internal error"
}

func (r *Responder) refuse(ctx context.Context, m *nats.Msg, reason string) {
	reason = Reason(reason)
	r.Logger.DebugContext(ctx, "request refused", "request_subject", m.Subject, "reason", reason)
	r.respond(ctx, m, &nats.Msg{Header: nats.Header{refusalHeader: {reason}}})
}

// importedReply begins the subjects that a server makes for the answers to requests from other accounts: it carries
// them to whom asked, and lets no client name one as reply subject.
const importedReply = "_R_."

// respond answers to inboxes alone. The other side chooses where its answer goes, and this side may publish
// where the other may not: an empty answer to a subject of JetStream's API would delete a whole stream.
func (r *Responder) respond(ctx context.Context, m, answer *nats.Msg) {
	if !strings.HasPrefix(m.Reply, nats.InboxPrefix) && !strings.HasPrefix(m.Reply, importedReply) {
		r.Logger.DebugContext(ctx, "nobody waits for an answer in an inbox", "request_subject", m.Subject)
		return
	}
	answer.Subject = m.Reply
	if err := r.Conn.PublishMsg(answer); err != nil {
		r.Logger.WarnContext(ctx, "answer not sent", "request_subject", m.Subject, "error", err)
	}
}
