package jet_test

import (
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
)

// TestWithoutAVersionMoreIsForeignToo, also where the version cannot be read.
func TestWithoutAVersionMoreIsForeignToo(t *testing.T) {
	t.Parallel()
	for _, metadata := range []map[string]string{nil, {"oc-layout": "two"}, {"oc-layout": "-1"}, {"oc-layout-compatible": "1"}, {"_nats.level": "1"}} {
		have := older()
		have.Metadata = metadata
		next, err := jet.Adapt(have, newer(jet.Version{Layout: 2}))
		if _, foreign := errors.AsType[*jet.ForeignError](err); !foreign || next != nil {
			t.Errorf("%v: %v, %v", metadata, next, err)
		}
		if next, err := jet.Adapt(have, older()); next != nil || err != nil {
			t.Errorf("%v makes a difference: %v, %v", metadata, next, err)
		}
	}
}

// TestOneChangeAtATime holds for each setting that it may grow in place, and not shrink.
func TestOneChangeAtATime(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(c *jetstream.StreamConfig, to int){
		"subjects":                  func(c *jetstream.StreamConfig, to int) { c.Subjects = []string{"a", "b", "c"}[:to] },
		"max_age":                   func(c *jetstream.StreamConfig, to int) { c.MaxAge = time.Duration(to) % 3 },
		"max_msgs":                  func(c *jetstream.StreamConfig, to int) { c.MaxMsgs = int64(to) },
		"max_msgs_per_subject":      func(c *jetstream.StreamConfig, to int) { c.MaxMsgsPerSubject = int64(to) },
		"max_bytes":                 func(c *jetstream.StreamConfig, to int) { c.MaxBytes = int64(to) },
		"max_msg_size":              func(c *jetstream.StreamConfig, to int) { c.MaxMsgSize = int32(to) },
		"subject_delete_marker_ttl": func(c *jetstream.StreamConfig, to int) { c.SubjectDeleteMarkerTTL = time.Duration(to) },
		"allow_rollup_hdrs":         func(c *jetstream.StreamConfig, to int) { c.AllowRollup = to > 2 },
		"allow_direct":              func(c *jetstream.StreamConfig, to int) { c.AllowDirect = to > 2 },
		"allow_atomic":              func(c *jetstream.StreamConfig, to int) { c.AllowAtomicPublish = to > 2 },
		"allow_msg_schedules":       func(c *jetstream.StreamConfig, to int) { c.AllowMsgSchedules = to > 2 },
		"allow_msg_ttl":             func(c *jetstream.StreamConfig, to int) { c.AllowMsgTTL = to > 2 },
	} {
		less, more := orders(1), orders(1)
		set(&less, 2)
		set(&more, 3)
		less.Metadata, more.Metadata = jet.Version{Layout: 1}.Mark(nil), jet.Version{Layout: 2}.Mark(nil)
		next, err := jet.Adapt(less, more)
		if err != nil || next == nil || jet.StreamDifferences(*next, more) != nil || !maps.Equal(next.Metadata, more.Metadata) {
			t.Errorf("%s does not grow: %+v, %v", name, next, err)
		}
		less.Metadata, more.Metadata = more.Metadata, less.Metadata
		next, err = jet.Adapt(more, less)
		if layout, is := errors.AsType[*jet.LayoutError](err); !is || next != nil || len(layout.Differences) != 1 || layout.Differences[0].Field != name {
			t.Errorf("%s shrinks: %+v, %v", name, next, err)
		}
	}
}

// TestAFirstBoundOnBytes comes in place where it discards the oldest messages, and with a newer layout alone.
func TestAFirstBoundOnBytes(t *testing.T) {
	t.Parallel()
	have, want := orders(1), orders(1)
	want.MaxBytes = 1 << 20
	have.Metadata, want.Metadata = jet.Version{Layout: 1}.Mark(nil), jet.Version{Layout: 2}.Mark(nil)
	if next, err := jet.Adapt(have, want); err != nil || next == nil || next.MaxBytes != 1<<20 {
		t.Errorf("%+v, %v", next, err)
	}
	have.Discard, want.Discard = jetstream.DiscardNew, jetstream.DiscardNew
	if next, err := jet.Adapt(have, want); err == nil {
		t.Errorf("what refuses new messages when it is full becomes %+v", next)
	}
	have.Discard, want.Discard = jetstream.DiscardOld, jetstream.DiscardOld
	have.Metadata = want.Metadata
	if next, err := jet.Adapt(have, want); err == nil {
		t.Errorf("of its own layout it becomes %+v", next)
	}
}
