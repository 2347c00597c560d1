package compute

import (
	"context"

	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
)

// serial is a handler of all sessions: one that is still busy with a message of an earlier session,
// though its context has ended, is not called beside that.
type serial struct {
	ncl.MessageHandler
	turn chan struct{}
}

func newSerial(h ncl.MessageHandler) serial { return serial{h, make(chan struct{}, 1)} }

// HandleMessage waits for its turn. It fails as the handler does, or with ctx's error.
func (s serial) HandleMessage(ctx context.Context, m *envelope.Message) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.turn }()
	return s.MessageHandler.HandleMessage(ctx, m)
}
