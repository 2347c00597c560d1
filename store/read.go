package store

import (
	"context"
	"fmt"
	"iter"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store/booking"
	"oc-scheduler/store/id"
)

// Reading is one value as it stands in a bucket.
type Reading[T any] struct {
	Key    string // as it stands in the bucket
	ID     string // what the key stands for; "" when it stands for nothing
	Value  T
	HasTTL bool  // it ends by itself
	Err    error // the value, or its key, cannot be read; Value is then the zero value
}

// ReadPlanners reads all planners past the views, one at a time. Like its siblings it neither
// changes nor leaves anything on the server, and ends with an error that is ErrUnavailable when the
// bucket cannot be read, or not to its end. What is written meanwhile may show or not.
func ReadPlanners(ctx context.Context, js jetstream.JetStream) iter.Seq2[Reading[PlannerRecord], error] {
	return readAll(ctx, js, PlannersBucket, (&Planners{}).decode)
}

// ReadWorkflows reads all workflows as ReadPlanners does.
func ReadWorkflows(ctx context.Context, js jetstream.JetStream) iter.Seq2[Reading[WorkflowRecord], error] {
	return readAll(ctx, js, WorkflowsBucket, func(of string, m message) (WorkflowRecord, error) { return decodeWorkflow(of, m.Data) })
}

// ReadInterest reads the lists of replicas of all peers as ReadPlanners does.
func ReadInterest(ctx context.Context, js jetstream.JetStream) iter.Seq2[Reading[[]string], error] {
	return readAll(ctx, js, InterestBucket, func(_ string, m message) ([]string, error) { return decodeInterest(m.Data) })
}

// ReadRequests reads all claims as ReadPlanners does.
func ReadRequests(ctx context.Context, js jetstream.JetStream) iter.Seq2[Reading[Claim], error] {
	return readAll(ctx, js, RequestsBucket, func(_ string, m message) (Claim, error) { return decodeClaim(m.Data) })
}

// ReadLeases reads the leases of all replicas as ReadPlanners does.
func ReadLeases(ctx context.Context, js jetstream.JetStream) iter.Seq2[Reading[Lease], error] {
	return readAll(ctx, js, ReplicasBucket, func(_ string, m message) (Lease, error) { return decodeLease(m.Data) })
}

// ReadNodes reads all compute nodes as ReadPlanners does.
func ReadNodes(ctx context.Context, js jetstream.JetStream) iter.Seq2[Reading[NodeRecord], error] {
	return readAll(ctx, js, NodesBucket, func(of string, m message) (NodeRecord, error) { return decodeNode(of, m.Data) })
}

// ReadLiveness reads the last heartbeats of all nodes that live as ReadPlanners does.
func ReadLiveness(ctx context.Context, js jetstream.JetStream) iter.Seq2[Reading[Pulse], error] {
	return readAll(ctx, js, LivenessBucket, func(_ string, m message) (Pulse, error) { return decodePulse(m.Data) })
}

// ReadExecutions reads all executions as ReadPlanners does.
func ReadExecutions(ctx context.Context, js jetstream.JetStream) iter.Seq2[Reading[booking.Execution], error] {
	return readAll(ctx, js, ExecutionsBucket, func(_ string, m message) (booking.Execution, error) { return decodeExecution(m.Data) })
}

// ReadPartitions reads who handles the events of which nodes as ReadPlanners does.
func ReadPartitions(ctx context.Context, js jetstream.JetStream) iter.Seq2[Reading[Partition], error] {
	return readAll(ctx, js, PartitionsBucket, func(_ string, m message) (Partition, error) { return decodePartition(m.Data) })
}

func readAll[T any](ctx context.Context, js jetstream.JetStream, bucket string, decode func(string, message) (T, error)) iter.Seq2[Reading[T], error] {
	return func(yield func(Reading[T], error) bool) {
		for kept, err := range readMessages(ctx, js, bucket) {
			if err != nil {
				yield(Reading[T]{}, fmt.Errorf("bucket %s: %w", bucket, classify(ctx, err)))
				return
			}
			if kept.live() && !yield(read(kept, decode), nil) {
				return
			}
		}
	}
}

// read decodes a value. A fault of a decoder makes that one value broken and nothing else.
func read[T any](kept keyed, decode func(string, message) (T, error)) (s Reading[T]) {
	ttl := kept.Header.Get(jetstream.MsgTTLHeader)
	s = Reading[T]{Key: kept.key, HasTTL: ttl != "" && ttl != "never"}
	defer func() {
		if p := recover(); p != nil {
			s.Err = fmt.Errorf("%w: panic: %v", ErrUndecodable, p)
		}
	}()
	if s.ID, s.Err = id.FromKey(kept.key); s.Err != nil {
		s.ID, s.Err = "", fmt.Errorf("key: %w", s.Err)
		return s
	}
	s.Value, s.Err = decode(s.ID, kept.message)
	return s
}
