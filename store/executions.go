package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
)

// executionTTL is how long an execution is remembered after its last change: longer than a node's
// events are kept, which would bring it back.
const executionTTL = 14 * 24 * time.Hour

// cursorPrefix begins the subjects of cursors, oc.cursor.<node>. They are in the stream of the
// executions, so that both change in one step, and in no bucket, so that its keys are executions.
const cursorPrefix = "oc.cursor."

var cursorSpace = kv.Space{Bucket: ExecutionsBucket, Prefix: cursorPrefix, Tokens: 1}

// ErrExists says that there is an execution of that id.
var ErrExists = errors.New("exists already")

// Executions is the bucket of what runs or ran on the nodes.
type Executions struct {
	keys    *kv.Keys
	cursors *kv.Keys
	view    *kv.View[execution.Execution]

	unordered *unordered
}

func newExecutions(keys *kv.Keys) *Executions {
	x := &Executions{keys, keys.Keys(cursorSpace), kv.NewView(keys, decodeExecution), &unordered{of: map[string]int{}}}
	x.view.OnValue(x.unordered.replace)
	return x
}

var decodeExecution = kv.JSON(func(_ kv.Key, e execution.Execution) error {
	if e.ExecutionID == "" {
		return errors.New("no execution")
	}
	return nil
})

// toldConsumer is the durable through which the fleet learns, once, of each change of an execution.
var toldConsumer = jetstream.ConsumerConfig{
	Durable:       "oc-scheduler-told",
	FilterSubject: kv.BucketSpace(ExecutionsBucket).Filter(),
	DeliverPolicy: jetstream.DeliverAllPolicy,
	AckPolicy:     jetstream.AckExplicitPolicy,
	AckWait:       kv.WorkAckWait,
	MaxDeliver:    -1,
	MaxAckPending: 8000,
}

// Stream is what the executions are kept in.
func (x *Executions) Stream() *kv.Stream { return x.keys.Stream }

// View is this replica's copy of the executions.
func (x *Executions) View() *kv.View[execution.Execution] { return x.view }

// Get reads an execution past the view. It fails with kv.ErrNotFound, kv.ErrUndecodable or kv.ErrUnavailable.
func (x *Executions) Get(ctx context.Context, executionID string) (execution.Execution, error) {
	m, err := x.keys.Value(ctx, kv.KeyOf(executionID))
	if err != nil {
		return execution.Execution{}, err
	}
	return decodeExecution("", m)
}

// Create stores a new execution, and says as which revision. What another node has told under its id, and nobody ordered,
// counts as none: a node keeps no id from others. It fails with ErrExists, kv.ErrTooLarge or kv.ErrUnavailable.
func (x *Executions) Create(ctx context.Context, e execution.Execution) (uint64, error) {
	w, err := writeExecution(e)
	if err != nil {
		return 0, err
	}
	return x.keys.ChangeFrom(ctx, kv.KeyOf(e.ExecutionID), &kv.Attempt{Write: w}, func(last kv.Message) (*kv.Write, error) {
		if last.Live() {
			// A broken one counts as none.
			if stands, err := decodeExecution("", last); err == nil && (!stray(stands) || stands.NodeID == e.NodeID) {
				return nil, fmt.Errorf("execution %q: %w", e.ExecutionID, ErrExists)
			}
		}
		return w, nil
	})
}

func writeExecution(e execution.Execution) (*kv.Write, error) {
	data, err := json.Marshal(e)
	return &kv.Write{Data: data, TTL: executionTTL}, err
}

// Change reads an execution and writes what decide makes of it, again when another writer was faster;
// false leaves it as it is. It fails with kv.ErrNotFound, kv.ErrUndecodable, or kv.ErrUnavailable.
func (x *Executions) Change(ctx context.Context, executionID string, decide func(execution.Execution) (execution.Execution, bool)) error {
	return x.change(ctx, executionID, nil, decide)
}

// ChangeFrom is Change of an execution that is known to have stood so at a revision: it is read only if another writer
// was faster.
func (x *Executions) ChangeFrom(ctx context.Context, e execution.Execution, revision uint64, decide func(execution.Execution) (execution.Execution, bool)) error {
	next, changed := decide(e)
	if !changed {
		return nil
	}
	w, err := writeExecution(next)
	if err != nil {
		return err
	}
	return x.change(ctx, e.ExecutionID, &kv.Attempt{Revision: revision, Write: w}, decide)
}

func (x *Executions) change(ctx context.Context, executionID string, first *kv.Attempt, decide func(execution.Execution) (execution.Execution, bool)) error {
	_, err := x.keys.ChangeFrom(ctx, kv.KeyOf(executionID), first, func(last kv.Message) (*kv.Write, error) {
		if !last.Live() {
			return nil, kv.ErrNotFound
		}
		e, err := decodeExecution("", last)
		if err != nil {
			return nil, err
		}
		next, changed := decide(e)
		if !changed {
			return nil, nil
		}
		return writeExecution(next)
	})
	return err
}
