package histories

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/store/history"
	"oc-scheduler/store/kv"
)

// headerWorkflow says of which workflow the thing was: who may see it follows from that, also when it is there no more.
const headerWorkflow = "Oc-Workflow"

// conflictPause is when it is looked again how far a history has come that somebody else has continued.
const conflictPause = 20 * time.Millisecond

// Last is how far the history of a thing has come.
type Last struct {
	history.Item
	WorkflowID string
	revision   uint64
}

// Last is the last item of a thing's history; number 0: there is none. It fails with kv.ErrUnavailable and
// kv.ErrUndecodable.
func (h *Histories) Last(ctx context.Context, kind history.Kind, of string) (Last, error) {
	m, err := h.Newest(ctx, Subject(kind, of))
	if err != nil || m.Revision == 0 {
		return Last{}, err
	}
	last := Last{WorkflowID: m.Header.Get(headerWorkflow), revision: m.Revision}
	if err := json.Unmarshal(m.Data, &last.Item); err != nil {
		return Last{}, fmt.Errorf("%w: history of %s: %w", kv.ErrUndecodable, of, err)
	}
	return last, nil
}

// Append appends to the history of a thing, which has come as far as last, what of its log is missing. Where somebody
// else does the same, each item is there once. It fails as Last does.
func (h *Histories) Append(ctx context.Context, kind history.Kind, of string, last Last, workflowID string, log history.Log) error {
	for {
		err := h.follow(ctx, Subject(kind, of), last, workflowID, log)
		if !errors.Is(err, kv.ErrConflict) && !kv.Unknown(err) {
			return err
		}
		if err := kv.Sleep(ctx, conflictPause); err != nil {
			return err
		}
		if last, err = h.Last(ctx, kind, of); err != nil {
			return err
		}
	}
}

func (h *Histories) follow(ctx context.Context, subject string, last Last, workflowID string, log history.Log) error {
	header := nats.Header{headerWorkflow: {workflowID}}
	revision := last.revision
	for _, it := range log.After(last.Seq) {
		if revision == 0 && time.Since(it.At) > keptFor { // it was there, and has gone
			continue
		}
		data, err := json.Marshal(it)
		if err != nil {
			return err
		}
		if revision, err = h.put(ctx, subject, revision, header, data); err != nil {
			return err
		}
	}
	return nil
}
