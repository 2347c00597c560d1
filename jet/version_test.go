package jet_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/jet"
)

// older is the layout that newer has grown from.
func older() jetstream.StreamConfig {
	c := orders(1)
	c.MaxAge, c.MaxMsgs, c.MaxMsgSize, c.MaxBytes, c.MaxMsgsPerSubject = time.Hour, 10, 100, 1<<20, 5
	return c
}

func newer(v jet.Version) jetstream.StreamConfig {
	c := orders(1)
	c.Subjects = append(c.Subjects, "bills.>")
	c.MaxMsgs, c.AllowRollup, c.AllowDirect = 100, true, true
	c.AllowAtomicPublish, c.AllowMsgSchedules, c.AllowMsgTTL, c.SubjectDeleteMarkerTTL = true, true, true, time.Minute
	c.Metadata = v.Mark(nil)
	return c
}

func ensured(t *testing.T, js jetstream.JetStream, want jetstream.StreamConfig) jetstream.StreamConfig {
	t.Helper()
	stream, err := jet.EnsureStream(t.Context(), js, want)
	if err != nil {
		t.Fatal(err)
	}
	return stream.CachedInfo().Config
}

func stands(t *testing.T, js jetstream.JetStream) jetstream.StreamConfig {
	t.Helper()
	stream, err := js.Stream(t.Context(), "ORDERS")
	if err != nil {
		t.Fatal(err)
	}
	return stream.CachedInfo().Config
}

func bears(t *testing.T, c jetstream.StreamConfig, layout, least string) {
	t.Helper()
	if c.Metadata["oc-layout"] != layout || c.Metadata["oc-layout-compatible"] != least {
		t.Errorf("%s bears %v, want layout %s for %s or newer", c.Name, c.Metadata, layout, least)
	}
}

func TestNewStreamsBearTheirVersion(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	bears(t, ensured(t, js, orders(1)), "1", "1")
	grown := newer(jet.Version{Layout: 3})
	grown.Name, grown.Subjects = "BILLS", []string{"bills.>"}
	bears(t, ensured(t, js, grown), "3", "3")
}

// TestStreamsFromBeforeVersionsAreMarked holds that nothing else of them is changed, and those of others are not.
func TestStreamsFromBeforeVersionsAreMarked(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	before := orders(1)
	before.Description, before.Metadata = "an operator's note", map[string]string{"team": "blue"}
	theirs := orders(1)
	theirs.Name, theirs.Subjects, theirs.MaxAge = "THEIRS", []string{"theirs.>"}, time.Hour
	for _, c := range []jetstream.StreamConfig{before, theirs} {
		if _, err := js.CreateStream(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	unmarked := theirs
	unmarked.MaxAge = 0
	if c := ensured(t, js, orders(1)); c.Metadata["oc-layout"] != "" {
		t.Errorf("%v: whoever only needs the stream may lack the right to change it", c.Metadata)
	}
	err := jet.MarkStreams(t.Context(), js, []jet.Expected{{Stream: unmarked}, {Stream: orders(1)}})
	if _, foreign := errors.AsType[*jet.ForeignError](err); !foreign || strings.Contains(err.Error(), "ORDERS") {
		t.Errorf("error = %v", err)
	}
	marked := stands(t, js)
	bears(t, marked, "1", "1")
	if marked.Description != before.Description || marked.Metadata["team"] != "blue" || jet.StreamDifferences(marked, before) != nil {
		t.Errorf("%+v", marked)
	}
	stream, err := js.Stream(t.Context(), "THEIRS")
	if err != nil || stream.CachedInfo().Config.Metadata["oc-layout"] != "" {
		t.Errorf("a foreign stream is marked: %v, %v", stream.CachedInfo().Config, err)
	}
	needsOperator(t, ensureErr(t.Context(), js, unmarked), "stream THEIRS has a foreign configuration: max_age is 1h0m0s, must be 0s")
}

func ensureErr(ctx context.Context, js jetstream.JetStream, want jetstream.StreamConfig) error {
	_, err := jet.EnsureStream(ctx, js, want)
	return err
}

// TestAnOlderLayoutIsAddedTo holds that the first of those who need the newer one changes the stream, with all that
// it holds, and that nobody changes it again: neither they nor one who knows the older layout only.
func TestAnOlderLayoutIsAddedTo(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	js := srv.JetStream(t)
	before := older()
	before.Description, before.Metadata = "an operator's note", map[string]string{"team": "blue"}
	ensured(t, js, before)
	if _, err := js.Publish(t.Context(), "orders.1", []byte("kept")); err != nil {
		t.Fatal(err)
	}
	want := newer(jet.Version{Layout: 2, Least: 1})
	var replicas sync.WaitGroup
	for range 3 {
		js := srv.JetStream(t)
		replicas.Go(func() {
			if c := ensured(t, js, want); jet.StreamDifferences(c, want) != nil {
				t.Errorf("%v", jet.StreamDifferences(c, want))
			}
		})
	}
	replicas.Wait()
	updates, err := js.Conn().SubscribeSync("$JS.API.STREAM.UPDATE.>")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []jetstream.StreamConfig{want, older(), want} {
		bears(t, ensured(t, js, c), "2", "1")
	}
	if n, _, err := updates.Pending(); n != 0 || err != nil {
		t.Errorf("%d updates more, %v", n, err)
	}
	grown := stands(t, js)
	if grown.Description != before.Description || grown.Metadata["team"] != "blue" {
		t.Errorf("%+v", grown)
	}
	stream, err := js.Stream(t.Context(), "ORDERS")
	if err != nil {
		t.Fatal(err)
	}
	if m, err := stream.GetMsg(t.Context(), 1); err != nil || string(m.Data) != "kept" {
		t.Errorf("%v, %v", m, err)
	}
}

// TestASlowOlderReplica that has changed a stream back meanwhile is made up for.
func TestASlowOlderReplica(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	before := ensured(t, js, orders(1))
	want := orders(1)
	want.Subjects, want.Metadata = append(want.Subjects, "bills.>"), jet.Version{Layout: 2}.Mark(nil)
	ensured(t, js, want)
	if _, err := js.UpdateStream(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	if err := jet.MarkStreams(t.Context(), js, []jet.Expected{{Stream: want}}); err != nil {
		t.Fatal(err)
	}
	bears(t, stands(t, js), "2", "2")
}

func TestLayoutsThatNeedAnOperator(t *testing.T) {
	t.Parallel()
	narrower := older()
	narrower.Metadata = jet.Version{Layout: 2}.Mark(nil)
	memory := orders(1)
	memory.Storage, memory.Metadata = jetstream.MemoryStorage, jet.Version{Layout: 2}.Mark(nil)
	for name, tc := range map[string]struct {
		stands, needed jetstream.StreamConfig
		want           string
	}{
		"newer":         {newer(jet.Version{Layout: 3, Least: 2}), older(), "stream ORDERS has layout 3, for programs of layout 2 or newer; this one is of layout 1: run a newer release"},
		"not in place":  {orders(1), memory, "stream ORDERS has layout 1 and does not become layout 2 in place: storage is File, must be Memory"},
		"not only more": {orders(1), narrower, "stream ORDERS has layout 1 and does not become layout 2 in place: max_age is 0s, must be 1h0m0s; max_msg_size is -1, must be 100; max_msgs is -1, must be 10; max_msgs_per_subject is -1, must be 5"},
		"changed":       {newer(jet.Version{Layout: 1}), orders(1), "stream ORDERS has a foreign configuration: subjects is [bills.> orders.>], must be [orders.>]; max_msgs is 100, must be -1; allow_rollup_hdrs is true, must be false; allow_direct is true, must be false; allow_msg_ttl is true, must be false; subject_delete_marker_ttl is 1m0s, must be 0s; allow_atomic is true, must be false; allow_msg_schedules is true, must be false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			js := natstest.Start(t).JetStream(t)
			before := ensured(t, js, tc.stands)
			needsOperator(t, ensureErr(t.Context(), js, tc.needed), tc.want)
			if now := stands(t, js); jet.StreamDifferences(now, before) != nil || !maps.Equal(now.Metadata, before.Metadata) {
				t.Errorf("changed to %+v", now)
			}
		})
	}
}
