package events

import (
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

type differences []Difference

func (d *differences) compare(field string, have, want any) {
	if h, w := fmt.Sprint(have), fmt.Sprint(want); h != w {
		*d = append(*d, Difference{field, h, w})
	}
}

// StreamDifferences compares the fields on which correctness depends; an operator may have set others.
func StreamDifferences(have, want jetstream.StreamConfig) []Difference {
	var d differences
	d.compare("subjects", slices.Sorted(slices.Values(have.Subjects)), slices.Sorted(slices.Values(want.Subjects)))
	d.compare("retention", have.Retention, want.Retention)
	d.compare("storage", have.Storage, want.Storage)
	d.compare("num_replicas", have.Replicas, want.Replicas)
	d.compare("max_age", have.MaxAge, want.MaxAge)
	d.compare("max_msg_size", have.MaxMsgSize, want.MaxMsgSize)
	d.compare("max_msgs", have.MaxMsgs, want.MaxMsgs)
	d.compare("max_msgs_per_subject", have.MaxMsgsPerSubject, want.MaxMsgsPerSubject)
	d.compare("max_bytes", have.MaxBytes, want.MaxBytes)
	d.compare("duplicate_window", have.Duplicates, want.Duplicates)
	d.compare("no_ack", have.NoAck, want.NoAck)
	d.compare("sealed", have.Sealed, want.Sealed)
	d.compare("allow_rollup_hdrs", have.AllowRollup, want.AllowRollup)
	d.compare("mirror", have.Mirror != nil, want.Mirror != nil)
	d.compare("sources", len(have.Sources), len(want.Sources))
	d.compare("subject_transform", have.SubjectTransform != nil, want.SubjectTransform != nil)
	return d
}

// ConsumerDifferences is to consumers what StreamDifferences is to streams.
func ConsumerDifferences(have, want jetstream.ConsumerConfig) []Difference {
	var d differences
	d.compare("deliver_policy", have.DeliverPolicy, want.DeliverPolicy)
	d.compare("ack_policy", have.AckPolicy, want.AckPolicy)
	d.compare("ack_wait", have.AckWait, want.AckWait)
	d.compare("max_deliver", have.MaxDeliver, want.MaxDeliver)
	d.compare("max_ack_pending", have.MaxAckPending, want.MaxAckPending)
	d.compare("filter_subject", have.FilterSubject, want.FilterSubject)
	d.compare("filter_subjects", have.FilterSubjects, want.FilterSubjects)
	d.compare("replay_policy", have.ReplayPolicy, want.ReplayPolicy)
	d.compare("headers_only", have.HeadersOnly, want.HeadersOnly)
	d.compare("deliver_subject", have.DeliverSubject, want.DeliverSubject)
	d.compare("max_batch", have.MaxRequestBatch, want.MaxRequestBatch)
	d.compare("max_expires", have.MaxRequestExpires, want.MaxRequestExpires)
	d.compare("max_bytes", have.MaxRequestMaxBytes, want.MaxRequestMaxBytes)
	d.compare("backoff", have.BackOff, want.BackOff)
	return d
}
