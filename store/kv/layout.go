package kv

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
)

// markerTTL is how long the marker of a key that has run out stands, unless a Layout says otherwise: so
// long, whoever was away learns of the removal.
const markerTTL = time.Hour

// Layout says how the stream of a bucket is kept on the server. It is that of a KV bucket with history 1,
// but discards old messages rather than new ones: message schedules need that, and can never be disabled
// again.
type Layout struct {
	Bucket      string
	Description string        // for those who look into the bucket; it may be changed: none counts as foreign
	Beside      []string      // subjects besides those of the bucket
	MarkerTTL   time.Duration // of markers that the server writes; 0: an hour
	Batches     bool          // takes batches of several messages
	Schedules   bool          // takes message schedules
	// Version is to be raised with each change of what a release has made; zero: the first. A stream of an older
	// one is changed in place where that only adds (jet.Adapt).
	Version jet.Version

	Durables []jetstream.ConsumerConfig // that all replicas share
}

// Stream is the configuration of the stream at a replication of 1, 3 or 5.
func (l Layout) Stream(replicas int) jetstream.StreamConfig {
	marker := l.MarkerTTL
	if marker == 0 {
		marker = markerTTL
	}
	c := jetstream.StreamConfig{
		Name:                   StreamName(l.Bucket),
		Description:            l.Description,
		Subjects:               append([]string{BucketPrefix(l.Bucket) + ">"}, l.Beside...),
		MaxMsgsPerSubject:      1,
		MaxMsgs:                -1,
		MaxBytes:               -1,
		MaxMsgSize:             -1,
		Storage:                jetstream.FileStorage,
		Discard:                jetstream.DiscardOld,
		AllowRollup:            true,
		AllowDirect:            true,
		AllowMsgTTL:            true,
		SubjectDeleteMarkerTTL: marker,
		AllowAtomicPublish:     l.Batches,
		AllowMsgSchedules:      l.Schedules,
		Replicas:               replicas,
	}
	if l.Version != (jet.Version{}) {
		c.Metadata = l.Version.Mark(nil)
	}
	return c
}

// StreamName is the name of the stream that holds a bucket.
func StreamName(bucket string) string { return "KV_" + bucket }

// BucketPrefix begins the subjects of a bucket.
func BucketPrefix(bucket string) string { return "$KV." + bucket + "." }
