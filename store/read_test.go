package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/planners"
)

// TestReadSeesWhatTheViewSees holds for more values than one batch has, among which are markers.
func TestReadSeesWhatTheViewSees(t *testing.T) {
	t.Parallel()
	st, js := running(t, natstest.Start(t), store.Config{})
	const n = 600
	for i := range n {
		if err := st.Interest.Add(t.Context(), fmt.Sprintf("peer %d", i), "r1"); err != nil {
			t.Fatal(err)
		}
	}
	for i := range n / 3 {
		peerID := fmt.Sprintf("peer %d", 3*i)
		if _, err := st.Interest.Remove(t.Context(), peerID, "r1"); err != nil {
			t.Fatal(err)
		}
		if err := st.Interest.Forget(t.Context(), peerID); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]bool{}
	for r, err := range store.ReadInterest(t.Context(), js) {
		if err != nil || r.Err != nil || r.HasTTL || len(r.Value) != 1 {
			t.Fatalf("%+v, %v", r, err)
		}
		if got[r.Key.ID()] {
			t.Errorf("%s comes twice", r.Key.ID())
		}
		got[r.Key.ID()] = true
	}
	if len(got) != n-n/3 || got["peer 0"] || !got["peer 1"] {
		t.Errorf("%d values", len(got))
	}
	stream, err := js.Stream(t.Context(), "KV_interest")
	if err != nil {
		t.Fatal(err)
	}
	if c := stream.CachedInfo().State.Consumers; c != 1 { // the view's
		t.Errorf("%d consumers: reading leaves something behind", c)
	}
}

func TestReadTellsWhatIsBroken(t *testing.T) {
	t.Parallel()
	st, js := open(t, natstest.Start(t), store.Config{})
	apply(t, st, plannerJSON("good", now, 1), at(1))
	put := func(key, value string) {
		t.Helper()
		if _, err := js.Publish(t.Context(), "$KV.planners."+key, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	put("hand", string(plannerJSON("hand", now, 1)))
	put("junk", "junk")
	put("another", string(plannerJSON("good", now, 1)))
	put("b=61d", string(plannerJSON("bad", now, 1)))
	got := map[string]kv.Reading[planners.Record]{}
	for r, err := range store.ReadPlanners(t.Context(), js) {
		if err != nil {
			t.Fatal(err)
		}
		got[string(r.Key)] = r
	}
	if r := got["good"]; r.Err != nil || !r.HasTTL || r.Value.PeerID() != "good" || !r.Value.ExpiresAt.After(time.Now()) {
		t.Errorf("good: %+v", r)
	}
	if r := got["hand"]; r.Err != nil || r.HasTTL || r.Value.PeerID() != "hand" {
		t.Errorf("by hand: %+v", r)
	}
	for _, key := range []string{"junk", "another"} {
		if r := got[key]; !errors.Is(r.Err, kv.ErrUndecodable) || r.Key.ID() != key {
			t.Errorf("%s: %+v", key, r)
		}
	}
	if r := got["b=61d"]; r.Err == nil || r.Key.ID() != "" {
		t.Errorf("key: %+v", r)
	}
}

func TestReadEndsWhereNothingCanBeRead(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	js := srv.JetStream(t)
	readings := func() (n int, last error) {
		for _, err := range store.ReadPlanners(t.Context(), js) {
			n, last = n+1, err
		}
		return n, last
	}
	n, err := readings() // there is no bucket
	if wantErr(t, err, kv.ErrUnavailable); n != 1 {
		t.Errorf("%d readings", n)
	}
	if err := tryOpen(t.Context(), js, store.Config{}); err != nil {
		t.Fatal(err)
	}
	if n, err := readings(); n != 0 || err != nil { // it is empty
		t.Errorf("%d readings, %v", n, err)
	}
	srv.Stop()
	natstest.Eventually(t, "it is noticed", func() bool { return !js.Conn().IsConnected() })
	_, err = readings()
	wantErr(t, err, kv.ErrUnavailable)
}

// TestExpectIsWhatOpenMakes holds that who verifies the one finds no fault with the other.
func TestExpectIsWhatOpenMakes(t *testing.T) {
	t.Parallel()
	_, js := open(t, natstest.Start(t), store.Config{})
	durables := 0
	for _, e := range store.Expect(1) {
		stream, err := js.Stream(t.Context(), e.Stream.Name)
		if err != nil {
			t.Fatal(err)
		}
		if d := jet.StreamDifferences(stream.CachedInfo().Config, e.Stream); d != nil {
			t.Errorf("%s: %v", e.Stream.Name, d)
		}
		for _, want := range e.Durables {
			durables++
			cons, err := stream.Consumer(t.Context(), want.Durable)
			if err != nil {
				t.Fatal(err)
			}
			if d := jet.ConsumerDifferences(cons.CachedInfo().Config, want); d != nil {
				t.Errorf("%s: %v", want.Durable, d)
			}
		}
	}
	if durables == 0 {
		t.Error("no durables")
	}
}
