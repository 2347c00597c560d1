package watcher

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

var (
	// ErrClosed says that the store was closed.
	ErrClosed = errors.New("event store is closed")
	// ErrCheckpointNotFound says that no checkpoint of that name was ever stored.
	ErrCheckpointNotFound = errors.New("checkpoint not found")
)

// Event is one entry of a ledger. It is never changed.
type Event struct {
	SeqNum     uint64          `json:"seq"`
	Operation  Operation       `json:"operation"`
	ObjectType string          `json:"object_type"`
	Object     json.RawMessage `json:"object"`
	Timestamp  time.Time       `json:"timestamp"`
}

// Operation is what happened to an object.
type Operation string

// Operations.
const (
	OperationCreate Operation = "create"
	OperationUpdate Operation = "update"
	OperationDelete Operation = "delete"
)

// StoreEventRequest is an event to come. Object is encoded as JSON.
type StoreEventRequest struct {
	Operation  Operation
	ObjectType string
	Object     any
}

// GetEventsRequest asks for events after a position, in order.
type GetEventsRequest struct {
	AfterSeqNum uint64
	Limit       int // of events; 0: DefaultLimit
}

// EventStore is a durable ledger. All methods are safe for concurrent use; they fail with ErrClosed
// after Close, and with the error of their context.
type EventStore interface {
	// LedgerID names the numbering: a ledger that was made anew has another one.
	LedgerID() string
	// StoreEvent appends an event; it is durable when the call returns.
	StoreEvent(ctx context.Context, r StoreEventRequest) (Event, error)
	// GetEvents reads events; none when there are none yet. It does not wait.
	GetEvents(ctx context.Context, r GetEventsRequest) ([]Event, error)
	// GetLatestEventNum is the number of the newest event that was ever stored; 0: none.
	GetLatestEventNum(ctx context.Context) (uint64, error)
	// Changed is closed when an event is stored after the call.
	Changed() <-chan struct{}
	// StoreCheckpoint keeps a position under a name.
	StoreCheckpoint(ctx context.Context, name string, seqNum uint64) error
	// GetCheckpoint reads a position. It fails with ErrCheckpointNotFound.
	GetCheckpoint(ctx context.Context, name string) (uint64, error)
	// Trim forgets events up to and with a position, which may then be reused by none.
	Trim(ctx context.Context, through uint64) error
	// Close releases the store; what waits for Changed is woken.
	Close(ctx context.Context) error
}

// Renamer is what an EventStore is besides whose ledger can go on under another id. Its events keep their
// numbers, but nobody takes them for those that the old id has named.
type Renamer interface {
	// Rename is for a ledger that was restored from a backup: its next numbers were given before. It is durable
	// when the call returns, and fails as the methods of EventStore do.
	Rename(ctx context.Context) error
}
