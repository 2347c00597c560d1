package store

import (
	"context"
	"encoding/json"

	"oc-scheduler/store/id"
	"oc-scheduler/store/kv"
)

// Cursor is how far a node's events were handled: all of the ledger's up to and with Sequence.
type Cursor struct {
	Ledger   string `json:"ledger"`
	Sequence uint64 `json:"sequence"`
}

// CursorSubject is where a node's cursor is stored.
func CursorSubject(nodeID string) string { return cursorPrefix + id.Key(nodeID) }

// Cursor reads how far a node's events were handled; revision is for NewStep. None, and one that can't
// be read, is the zero Cursor. It fails with kv.ErrUnavailable.
func (x *Executions) Cursor(ctx context.Context, nodeID string) (c Cursor, revision uint64, err error) {
	m, err := x.cursors.Newest(ctx, kv.KeyOf(nodeID))
	return cursorOf(m), m.Revision, err
}

// RoughCursor is Cursor from whichever server answers: it may be a little behind.
func (x *Executions) RoughCursor(ctx context.Context, nodeID string) (Cursor, error) {
	m, err := x.cursors.Last(ctx, kv.KeyOf(nodeID))
	return cursorOf(m), err
}

func cursorOf(m kv.Message) (c Cursor) {
	if m.Live() && json.Unmarshal(m.Data, &c) != nil {
		return Cursor{}
	}
	return c
}
