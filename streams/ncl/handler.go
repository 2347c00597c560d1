package ncl

import (
	"context"

	"oc-scheduler/streams/envelope"
)

// MessageHandler handles messages of one Subscriber, one after the other.
type MessageHandler interface {
	// ShouldProcess says whether HandleMessage wants the message; one that it does not counts as handled.
	ShouldProcess(ctx context.Context, m *envelope.Message) bool
	// HandleMessage handles a message. It is called again, after a pause, when it fails, and with the
	// same message after a crash: it must be idempotent. Messages behind it wait meanwhile. After a panic,
	// or an error made by Permanent, the message is given up.
	HandleMessage(ctx context.Context, m *envelope.Message) error
}
