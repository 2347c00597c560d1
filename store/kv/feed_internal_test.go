package kv

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/jet"
)

// A snapshot whose last message disappears before its delivery would never end by itself.
func TestASnapshotThatVanishesIsComplete(t *testing.T) {
	t.Parallel()
	b := counters(t, natstest.Start(t), 1)
	for _, key := range []Key{"a", "b"} {
		if _, err := b.Swap(t.Context(), key, 0, &Write{Data: []byte("1")}); err != nil {
			t.Fatal(err)
		}
	}
	v := NewView(b, func(Key, Message) (int, error) { return 1, nil })
	cons, s, err := v.begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	never := func(err error) { t.Error(err) }
	if cons.CachedInfo().NumPending != 2 || s.ended(t.Context(), never) {
		t.Errorf("%d messages are pending", cons.CachedInfo().NumPending)
	}
	if err := b.bound.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !s.ended(t.Context(), never) {
		t.Error("waits for messages that are gone")
	}
}

// TestASnapshotEndsWhereTheLeaderDoes holds that a member with less is waited for a little, and then given up.
func TestASnapshotEndsWhereTheLeaderDoes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked int
		var failed error
		leader, silent := uint64(7), errors.New("no answer")
		s := &snapshot{end: 9, standing: func(context.Context) (uint64, error) {
			if asked++; silent != nil {
				return 0, silent
			}
			return leader, nil
		}}
		ended := func() bool { return s.ended(t.Context(), func(err error) { failed = err }) }
		if s.reach(3, 2) {
			t.Error("may be complete with messages left")
		}
		if !s.reach(5, 0) || ended() {
			t.Error("complete though the leader says nothing")
		}
		silent = nil
		if !s.reach(6, 0) || ended() || asked != 2 {
			t.Errorf("complete before the leader's newest, asked %d times", asked)
		}
		if s.reach(6, 0) {
			t.Error("asks the leader at each message")
		}
		time.Sleep(catchUp)
		if ended(); failed != nil {
			t.Errorf("given up early: %v", failed)
		}
		time.Sleep(time.Nanosecond)
		if !s.reach(6, 0) || ended() || !errors.Is(failed, jet.ErrBehind) {
			t.Errorf("not given up: %v", failed)
		}
		if !s.reach(8, 5) || !ended() || s.reach(9, 0) {
			t.Error("not complete at the leader's newest, or more than once")
		}
	})
}

// TestAViewKnowsThatItIsNotTheStream holds what a comparison finds without anything that a consumer tells.
func TestAViewKnowsThatItIsNotTheStream(t *testing.T) {
	t.Parallel()
	b := counters(t, natstest.Start(t), 1)
	for _, key := range []Key{"a", "b", "c"} {
		if _, err := b.Swap(t.Context(), key, 0, &Write{Data: []byte("1")}); err != nil {
			t.Fatal(err)
		}
	}
	v := NewView(b, func(Key, Message) (int, error) { return 1, nil })
	if _, _, err := v.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	v.setCurrent(true, time.Time{})
	var last audited
	differs := func(revision uint64) error {
		v.revision.revision = revision
		_, err := v.compare(t.Context(), &last)
		return err
	}
	for revision, want := range []error{nil, jet.ErrBehind, jet.ErrBehind, nil, errReplaced, errReplaced} {
		if err := differs(uint64(revision)); !errors.Is(err, want) {
			t.Errorf("at revision %d: %v, want %v", revision, err, want)
		}
	}
	v.created = v.created.Add(-time.Second)
	if err := differs(3); !errors.Is(err, errReplaced) {
		t.Errorf("of another stream: %v", err)
	}
}
