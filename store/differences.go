package store

import (
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// StreamDifferences compares the settings on which this program depends; an operator may have set
// others.
func StreamDifferences(have, want jetstream.StreamConfig) []Difference {
	var d differences
	d.add("Subjects", have.Subjects, want.Subjects)
	d.add("Retention", have.Retention, want.Retention)
	d.add("Storage", have.Storage, want.Storage)
	d.add("Replicas (--js-replicas)", have.Replicas, want.Replicas)
	d.add("MaxMsgsPerSubject", have.MaxMsgsPerSubject, want.MaxMsgsPerSubject)
	d.add("MaxMsgs", have.MaxMsgs, want.MaxMsgs)
	d.add("MaxBytes", have.MaxBytes, want.MaxBytes)
	d.add("MaxMsgSize", have.MaxMsgSize, want.MaxMsgSize)
	d.add("MaxAge", have.MaxAge, want.MaxAge)
	d.add("Discard", have.Discard, want.Discard)
	d.add("NoAck", have.NoAck, want.NoAck)
	d.add("Sealed", have.Sealed, want.Sealed)
	d.add("AllowRollup", have.AllowRollup, want.AllowRollup)
	d.add("AllowDirect", have.AllowDirect, want.AllowDirect)
	d.add("AllowMsgTTL", have.AllowMsgTTL, want.AllowMsgTTL)
	d.add("SubjectDeleteMarkerTTL", have.SubjectDeleteMarkerTTL, want.SubjectDeleteMarkerTTL)
	d.add("AllowAtomicPublish", have.AllowAtomicPublish, want.AllowAtomicPublish)
	d.add("AllowMsgSchedules", have.AllowMsgSchedules, want.AllowMsgSchedules)
	d.add("Mirror", have.Mirror != nil, want.Mirror != nil)
	d.add("Sources", len(have.Sources), len(want.Sources))
	d.add("SubjectTransform", have.SubjectTransform != nil, want.SubjectTransform != nil)
	return d
}

// ConsumerDifferences is to consumers what StreamDifferences is to streams.
func ConsumerDifferences(have, want jetstream.ConsumerConfig) []Difference {
	var d differences
	d.add("FilterSubject", have.FilterSubject, want.FilterSubject)
	d.add("DeliverPolicy", have.DeliverPolicy, want.DeliverPolicy)
	d.add("AckPolicy", have.AckPolicy, want.AckPolicy)
	d.add("AckWait", have.AckWait, want.AckWait)
	d.add("MaxDeliver", have.MaxDeliver, want.MaxDeliver)
	d.add("MaxAckPending", have.MaxAckPending, want.MaxAckPending)
	d.add("HeadersOnly", have.HeadersOnly, want.HeadersOnly)
	return d
}

type differences []Difference

func (d *differences) add(field string, have, want any) {
	if h, w := fmt.Sprint(have), fmt.Sprint(want); h != w {
		*d = append(*d, Difference{field, h, w})
	}
}
