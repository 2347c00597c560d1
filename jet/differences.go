package jet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// Difference is one setting that is not as it must be, by the name that NATS gives it in JSON.
type Difference struct{ Field, Have, Want string }

// String is the difference in words.
func (d Difference) String() string {
	return fmt.Sprintf("%s is %s, must be %s", d.Field, d.Have, d.Want)
}

// Differences are those of one stream or consumer.
type Differences []Difference

// String lists them in one line.
func (l Differences) String() string {
	parts := make([]string, len(l))
	for i, d := range l {
		parts[i] = d.String()
	}
	return strings.Join(parts, "; ")
}

func (l *Differences) compare(field string, have, want any) {
	if h, w := fmt.Sprint(have), fmt.Sprint(want); h != w {
		*l = append(*l, Difference{field, h, w})
	}
}

// StreamDifferences compares the settings on which this program depends; an operator may have set
// others. A duplicate window of 0 is the server's choice.
func StreamDifferences(have, want jetstream.StreamConfig) Differences {
	var l Differences
	l.compare("subjects", slices.Sorted(slices.Values(have.Subjects)), slices.Sorted(slices.Values(want.Subjects)))
	l.compare("retention", have.Retention, want.Retention)
	l.compare("storage", have.Storage, want.Storage)
	l.compare("num_replicas (--js-replicas)", have.Replicas, want.Replicas)
	l.compare("max_age", have.MaxAge, want.MaxAge)
	l.compare("max_msg_size", have.MaxMsgSize, want.MaxMsgSize)
	l.compare("max_msgs", have.MaxMsgs, want.MaxMsgs)
	l.compare("max_msgs_per_subject", have.MaxMsgsPerSubject, want.MaxMsgsPerSubject)
	l.compare("max_bytes", have.MaxBytes, want.MaxBytes)
	l.compare("discard", have.Discard, want.Discard)
	if want.Duplicates != 0 {
		l.compare("duplicate_window", have.Duplicates, want.Duplicates)
	}
	l.compare("no_ack", have.NoAck, want.NoAck)
	l.compare("sealed", have.Sealed, want.Sealed)
	l.compare("allow_rollup_hdrs", have.AllowRollup, want.AllowRollup)
	l.compare("allow_direct", have.AllowDirect, want.AllowDirect)
	l.compare("allow_msg_ttl", have.AllowMsgTTL, want.AllowMsgTTL)
	l.compare("subject_delete_marker_ttl", have.SubjectDeleteMarkerTTL, want.SubjectDeleteMarkerTTL)
	l.compare("allow_atomic", have.AllowAtomicPublish, want.AllowAtomicPublish)
	l.compare("allow_msg_schedules", have.AllowMsgSchedules, want.AllowMsgSchedules)
	l.compare("mirror", have.Mirror != nil, want.Mirror != nil)
	l.compare("sources", len(have.Sources), len(want.Sources))
	l.compare("subject_transform", have.SubjectTransform != nil, want.SubjectTransform != nil)
	return l
}

// ConsumerDifferences is to consumers what StreamDifferences is to streams.
func ConsumerDifferences(have, want jetstream.ConsumerConfig) Differences {
	var l Differences
	l.compare("deliver_policy", have.DeliverPolicy, want.DeliverPolicy)
	l.compare("ack_policy", have.AckPolicy, want.AckPolicy)
	l.compare("ack_wait", have.AckWait, want.AckWait)
	l.compare("max_deliver", have.MaxDeliver, want.MaxDeliver)
	l.compare("max_ack_pending", have.MaxAckPending, want.MaxAckPending)
	l.compare("filter_subject", have.FilterSubject, want.FilterSubject)
	l.compare("filter_subjects", have.FilterSubjects, want.FilterSubjects)
	l.compare("replay_policy", have.ReplayPolicy, want.ReplayPolicy)
	l.compare("headers_only", have.HeadersOnly, want.HeadersOnly)
	l.compare("deliver_subject", have.DeliverSubject, want.DeliverSubject)
	l.compare("max_batch", have.MaxRequestBatch, want.MaxRequestBatch)
	l.compare("max_expires", have.MaxRequestExpires, want.MaxRequestExpires)
	l.compare("max_bytes", have.MaxRequestMaxBytes, want.MaxRequestMaxBytes)
	l.compare("backoff", have.BackOff, want.BackOff)
	return l
}
