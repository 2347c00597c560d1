package ncl

import (
	"context"

	"oc-scheduler/streams/envelope"
)

// RequestHandler answers requests of a Responder, many at a time.
type RequestHandler interface {
	// HandleRequest returns the answer to a message that came on a subject; ctx ends when it is no longer
	// waited for. Of an error the other side is told the reason when it is a *RefusedError or a
	// *envelope.TypeError, else only that there was one.
	HandleRequest(ctx context.Context, subject string, m *envelope.Message) (*envelope.Message, error)
}

// RequestFunc is a function as a RequestHandler.
type RequestFunc func(ctx context.Context, subject string, m *envelope.Message) (*envelope.Message, error)

// HandleRequest calls f.
func (f RequestFunc) HandleRequest(ctx context.Context, subject string, m *envelope.Message) (*envelope.Message, error) {
	return f(ctx, subject, m)
}

// ByType has a handler for each type of message.
type ByType map[string]RequestHandler

// HandleRequest passes a message on. It fails with a *envelope.TypeError for a type that has no handler.
func (t ByType) HandleRequest(ctx context.Context, subject string, m *envelope.Message) (*envelope.Message, error) {
	h, known := t[m.Type]
	if !known {
		return nil, &envelope.TypeError{Type: m.Type}
	}
	return h.HandleRequest(ctx, subject, m)
}
