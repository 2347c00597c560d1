package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/planners"
)

// statuses are what a server says in headers of messages without body.
var statuses = map[string]nats.Header{
	"heartbeat":   {"Status": {"100"}},
	"bad":         {"Status": {"400"}},
	"none":        {"Status": {"404"}},
	"timeout":     {"Status": {"408"}, "Nats-Pending-Messages": {"1"}},
	"deleted":     {"Status": {"409"}, "Description": {"Consumer Deleted"}},
	"batch":       {"Status": {"409"}, "Description": {"Batch Completed"}},
	"too-big":     {"Status": {"409"}, "Description": {"Message Size Exceeds MaxBytes"}},
	"nobody":      {"Status": {"503"}},
	"unheard-of":  {"Status": {"777"}},
	"empty-value": {"Nats-Pending-Messages": {"-1"}},
}

// Whoever may write to a bucket may write what looks like a word of the server. It is a message like
// any other: a value that is broken, or an end.
func TestMessagesThatLookLikeTheServersOwn(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	st, js := running(t, srv, store.Config{})
	late, _ := open(t, srv, store.Config{}) // finds them in its snapshot
	var e endings
	runEnds(t, st, &e)
	say := func(key string, h nats.Header, data string) {
		t.Helper()
		if _, err := js.PublishMsg(t.Context(), &nats.Msg{Subject: "$KV.planners." + key, Header: h, Data: []byte(data)}); err != nil {
			t.Fatal(err)
		}
	}
	for key, h := range statuses {
		say(key, h, "")
		say(key+"-full", h, "x") // the reader of the ends sees no bodies
	}
	apply(t, st, plannerJSON("after", now, 1), at(1))
	natstest.Run(t, late.Run)
	for _, replica := range []*store.Store{st, late} {
		shows(t, replica, "after", func(planners.Record) bool { return true })
		natstest.Eventually(t, "the view is current", replica.Planners.View().Current)
		if n := len(replica.Planners.View().Broken()); n != 2*len(statuses) {
			t.Errorf("%d broken values, want %d", n, 2*len(statuses))
		}
	}
	if err := st.Planners.End(t.Context(), "after", "", always); err != nil {
		t.Fatal(err)
	}
	e.await(t, 1)
	settled(t, js)
	for key := range statuses {
		wantErr(t, raw(t.Context(), st, key), kv.ErrUndecodable)
		if out := apply(t, st, plannerJSON(key, now, 7), at(2)); out != origin.Stored {
			t.Errorf("%s: %v", key, out)
		}
		shows(t, st, key, func(r planners.Record) bool { return ramOf(r) == 7 })
	}
}

// Markers may carry such headers, too.
func TestAnEndThatLooksLikeTheServersOwnWord(t *testing.T) {
	t.Parallel()
	st, js := running(t, natstest.Start(t), store.Config{})
	var e endings
	runEnds(t, st, &e)
	apply(t, st, plannerJSON("p", now, 1), at(1))
	shows(t, st, "p", func(planners.Record) bool { return true })
	m := &nats.Msg{Subject: "$KV.planners.p", Header: nats.Header{"KV-Operation": {"DEL"}, "Status": {"100"}}}
	if _, err := js.PublishMsg(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	gone(t, st, "p")
	if ends := e.await(t, 1); ends[0].PeerID != "p" || ends[0].Cause != planners.Deleted {
		t.Errorf("ends = %v", ends)
	}
	settled(t, js)
}

// A bucket is read as a whole without its views, too.
func TestReadingOverMessagesThatLookLikeTheServersOwn(t *testing.T) {
	t.Parallel()
	_, js := open(t, natstest.Start(t), store.Config{})
	for key, h := range statuses {
		if _, err := js.PublishMsg(t.Context(), &nats.Msg{Subject: "$KV.planners." + key, Header: h}); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for r, err := range store.ReadPlanners(t.Context(), js) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; !errors.Is(r.Err, kv.ErrUndecodable) {
			t.Errorf("%s: %v", r.Key, r.Err)
		}
	}
	if n != len(statuses) {
		t.Errorf("%d values, want %d", n, len(statuses))
	}
}

func raw(ctx context.Context, st *store.Store, peerID string) error {
	_, _, err := st.Planners.Raw(ctx, peerID)
	return err
}
