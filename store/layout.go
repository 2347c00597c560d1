package store

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Buckets.
const (
	PlannersBucket  = "planners"
	WorkflowsBucket = "workflows"
	InterestBucket  = "interest"
	ReplicasBucket  = "replicas"
	RequestsBucket  = "requests"

	NodesBucket      = "nodes"
	LivenessBucket   = "liveness"
	ExecutionsBucket = "executions"
	PartitionsBucket = "partitions"
)

var buckets = []string{
	PlannersBucket, WorkflowsBucket, InterestBucket, ReplicasBucket, RequestsBucket,
	NodesBucket, LivenessBucket, ExecutionsBucket, PartitionsBucket,
}

// descriptions are for those who look into the buckets. They may be changed: none counts as foreign.
var descriptions = map[string]string{
	PlannersBucket:  "What each peer still has, by peer",
	WorkflowsBucket: "What has to run, by workflow",
	InterestBucket:  "Which replicas have streams on a peer, by peer",
	ReplicasBucket:  "Leases of the replicas that live, by replica",
	RequestsBucket:  "When a planner was last asked for, and by whom, by peer",

	NodesBucket:      "Compute nodes, by node",
	LivenessBucket:   "Last heartbeat of the nodes that live, by node",
	ExecutionsBucket: "What runs or ran on the nodes, by execution; and how far each node's events were handled",
	PartitionsBucket: "Which replica handles the events of which nodes, and how far, by partition",
}

// Lives of markers. While a marker stands, whoever was away learns of the removal; and a server that
// was killed does not show again what stood before it (see tombstones). What was removed from the
// buckets of workflows, interest and nodes, whose values have no end, leaves a marker without one.
const (
	plannerMarkerTTL = 24 * time.Hour
	markerTTL        = time.Hour
)

// layout is the configuration of a bucket's stream. It is that of a KV bucket with history 1, but
// discards old messages rather than new ones: message schedules need that, and can never be
// disabled again, so all that the planners' stream will need is there from the start.
func layout(bucket string, replicas int) jetstream.StreamConfig {
	cfg := jetstream.StreamConfig{
		Name:                   streamName(bucket),
		Description:            descriptions[bucket],
		Subjects:               []string{subjectPrefix(bucket) + ">"},
		MaxMsgsPerSubject:      1,
		MaxMsgs:                -1,
		MaxBytes:               -1,
		MaxMsgSize:             -1,
		Storage:                jetstream.FileStorage,
		Discard:                jetstream.DiscardOld,
		AllowRollup:            true,
		AllowDirect:            true,
		AllowMsgTTL:            true,
		SubjectDeleteMarkerTTL: markerTTL,
		Replicas:               replicas,
	}
	if bucket == PlannersBucket {
		cfg.SubjectDeleteMarkerTTL = plannerMarkerTTL
		cfg.AllowAtomicPublish = true
		cfg.AllowMsgSchedules = true
	}
	if bucket == ExecutionsBucket {
		cfg.Subjects = append(cfg.Subjects, cursorPrefix+"*")
		cfg.AllowAtomicPublish = true
	}
	return cfg
}

// endsConsumer is the durable through which the fleet learns of each planner's end, once. It sees
// every message of the bucket (headers cannot be filtered), without bodies.
func endsConsumer() jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable:       "oc-scheduler-ends",
		FilterSubject: subjectPrefix(PlannersBucket) + ">",
		DeliverPolicy: jetstream.DeliverAllPolicy,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       10 * time.Second,
		MaxDeliver:    -1,
		MaxAckPending: 8000,
		HeadersOnly:   true,
	}
}
