package jet

import (
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// Adapt compares a stream that stands with what is needed. It may work as it is: then there is no next. It may
// be of an older layout that becomes the one needed by adding to it, or by a first bound on its bytes: next is what it is
// to be changed to, with all that operators have set besides. It fails with a *LayoutError, and with a *ForeignError when the stream bears no
// version, or the one needed, and is different all the same.
func Adapt(have, want jetstream.StreamConfig) (next *jetstream.StreamConfig, err error) {
	stands, needed := versionOf(have), neededBy(want)
	switch {
	case stands.Layout > needed.Layout && stands.Least > needed.Layout:
		return nil, &LayoutError{Name: streamName(want), Have: stands, Want: needed}
	case stands.Layout > needed.Layout: // by the word of the release that made it so
		return nil, nil
	case stands.Layout > 0 && stands.Layout < needed.Layout:
		added := widened(have, want)
		if d := StreamDifferences(added, want); len(d) > 0 {
			return nil, &LayoutError{streamName(want), stands, needed, d}
		}
		added.Metadata = needed.Mark(have.Metadata)
		return &added, nil
	}
	if d := StreamDifferences(have, want); len(d) > 0 {
		return nil, &ForeignError{Name: streamName(want), Differences: d}
	}
	return nil, nil
}

// widened is a configuration that takes, keeps and allows all that another one does, too. Whoever works with
// the stream as it was can go on. Only where nothing bounded its bytes, it may come to a bound.
func widened(c, by jetstream.StreamConfig) jetstream.StreamConfig {
	c.Subjects = slices.Clone(c.Subjects)
	for _, subject := range by.Subjects {
		if !slices.Contains(c.Subjects, subject) {
			c.Subjects = append(c.Subjects, subject)
		}
	}
	c.MaxAge = lifted(c.MaxAge, by.MaxAge)
	c.MaxMsgs = lifted(c.MaxMsgs, by.MaxMsgs)
	c.MaxMsgsPerSubject = lifted(c.MaxMsgsPerSubject, by.MaxMsgsPerSubject)
	c.MaxBytes = bounded(c, by)
	c.MaxMsgSize = lifted(c.MaxMsgSize, by.MaxMsgSize)
	c.AllowRollup = c.AllowRollup || by.AllowRollup
	c.AllowDirect = c.AllowDirect || by.AllowDirect
	c.AllowAtomicPublish = c.AllowAtomicPublish || by.AllowAtomicPublish
	c.AllowMsgSchedules = c.AllowMsgSchedules || by.AllowMsgSchedules
	c.AllowMsgTTL = c.AllowMsgTTL || by.AllowMsgTTL
	c.SubjectDeleteMarkerTTL = max(c.SubjectDeleteMarkerTTL, by.SubjectDeleteMarkerTTL)
	return c
}

// bounded is how many bytes are kept: as many as before, or more. A stream that would fill the disk is bounded where
// that discards its oldest messages, and refuses no new ones.
func bounded(have, by jetstream.StreamConfig) int64 {
	if have.MaxBytes <= 0 && by.MaxBytes > 0 && have.Discard == jetstream.DiscardOld {
		return by.MaxBytes
	}
	return lifted(have.MaxBytes, by.MaxBytes)
}

// lifted is the wider of two limits, of which one that is not above zero is none.
func lifted[T ~int32 | ~int64](have, want T) T {
	if have <= 0 || want > 0 && want < have {
		return have
	}
	return want
}
