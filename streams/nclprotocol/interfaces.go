package nclprotocol

import (
	"context"

	"github.com/nats-io/nats.go"

	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/watcher"
)

// ClientFactory opens connections to NATS.
type ClientFactory interface {
	// CreateClient opens a connection, which the caller closes and which outlives ctx. It fails when ctx
	// ends before. Inboxes must be below _INBOX, as InboxPrefix is: the scheduler answers to no others.
	CreateClient(ctx context.Context) (*nats.Conn, error)
}

// MessageCreator makes a message of an event of the ledger.
type MessageCreator interface {
	// CreateMessage returns nil for an event that concerns nobody else. The sender fills in Source,
	// Sequence, Previous and Time. An event that it fails for, or panics at, is left out.
	CreateMessage(event watcher.Event) (*envelope.Message, error)
}

// Checkpointer remembers a position across restarts.
type Checkpointer interface {
	// Checkpoint stores it.
	Checkpoint(ctx context.Context, name string, sequence uint64) error
	// GetCheckpoint reads it; 0 when none was stored.
	GetCheckpoint(ctx context.Context, name string) (uint64, error)
}
