package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/store/booking"
)

// executionTTL is how long an execution is remembered after its last change: longer than a node's
// events are kept, which would bring it back.
const executionTTL = 14 * 24 * time.Hour

// cursorPrefix begins the subjects of cursors, oc.cursor.<node>. They are in the stream of the
// executions, so that both change in one step, and in no bucket, so that its keys are executions.
const cursorPrefix = "oc.cursor."

// ErrExists says that there is an execution of that id.
var ErrExists = errors.New("exists already")

// Executions is the bucket of what runs or ran on the nodes.
type Executions struct {
	bucket  *bucket
	cursors *bucket
	view    *View[booking.Execution]
}

func newExecutions(o opener, b *bucket) *Executions {
	cursors := *b
	cursors.prefix = cursorPrefix
	decode := func(_ string, m *nats.Msg) (booking.Execution, error) { return decodeExecution(m.Data) }
	return &Executions{b, &cursors, NewView(o.js, b.name, decode, o.viewOptions(b.name)...)}
}

func decodeExecution(data []byte) (e booking.Execution, err error) {
	if err := json.Unmarshal(data, &e); err != nil {
		return booking.Execution{}, fmt.Errorf("%w: %w", ErrUndecodable, err)
	}
	if e.ExecutionID == "" {
		return booking.Execution{}, fmt.Errorf("%w: no execution", ErrUndecodable)
	}
	return e, nil
}

// View is this replica's copy of the executions.
func (x *Executions) View() *View[booking.Execution] { return x.view }

// Get reads an execution past the view. It fails with ErrNotFound, ErrUndecodable or ErrUnavailable.
func (x *Executions) Get(ctx context.Context, executionID string) (booking.Execution, error) {
	m, err := x.bucket.value(ctx, executionID)
	if err != nil {
		return booking.Execution{}, err
	}
	return decodeExecution(m.Data)
}

// Create stores a new execution. It fails with ErrExists, ErrTooLarge or ErrUnavailable.
func (x *Executions) Create(ctx context.Context, e booking.Execution) error {
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = x.bucket.change(ctx, e.ExecutionID, func(last message) (*write, error) {
		if last.live() {
			if _, err := decodeExecution(last.Data); err == nil { // a broken one counts as none
				return nil, fmt.Errorf("execution %q: %w", e.ExecutionID, ErrExists)
			}
		}
		return &write{data: data, ttl: executionTTL}, nil
	})
	return err
}

// Change reads an execution and writes what decide makes of it, again when another writer was faster;
// false leaves it as it is. It fails with ErrNotFound, ErrUndecodable, or ErrUnavailable.
func (x *Executions) Change(ctx context.Context, executionID string, decide func(booking.Execution) (booking.Execution, bool)) error {
	_, err := x.bucket.change(ctx, executionID, func(last message) (*write, error) {
		if !last.live() {
			return nil, ErrNotFound
		}
		e, err := decodeExecution(last.Data)
		if err != nil {
			return nil, err
		}
		next, changed := decide(e)
		if !changed {
			return nil, nil
		}
		data, err := json.Marshal(next)
		return &write{data: data, ttl: executionTTL}, err
	})
	return err
}
