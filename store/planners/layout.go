package planners

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store/kv"
)

// Bucket is the name of the bucket.
const Bucket = "planners"

// markerTTL is how long an end can be seen by who was away.
const markerTTL = 24 * time.Hour

// Layout is how the bucket is kept.
var Layout = kv.Layout{
	Bucket: Bucket, Description: "What each peer still has, by peer",
	MarkerTTL: markerTTL, Batches: true, Schedules: true,
	Durables: []jetstream.ConsumerConfig{endsConsumer},
}

// endsConsumer is the durable through which the fleet learns of each planner's end, once. It sees
// every message of the bucket (headers cannot be filtered), without bodies.
var endsConsumer = jetstream.ConsumerConfig{
	Durable:       "oc-scheduler-ends",
	FilterSubject: kv.BucketSpace(Bucket).Filter(),
	DeliverPolicy: jetstream.DeliverAllPolicy,
	AckPolicy:     jetstream.AckExplicitPolicy,
	AckWait:       10 * time.Second,
	MaxDeliver:    -1,
	MaxAckPending: 8000,
	HeadersOnly:   true,
}

// Decode reads a stored planner. The life of one that was written by hand is for the replicas to say: it ends
// when it begins here.
func Decode(key kv.Key, m kv.Message) (Record, error) { return (&Planners{}).decode(key, m) }
