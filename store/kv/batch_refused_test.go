package kv_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
)

// three is a batch that writes a, b and c.
func (s *site) three(t *testing.T, first string) *kv.Batch {
	t.Helper()
	b := s.rooms.NewBatch()
	err := errors.Join(b.SetAt(s.rooms, "a", 0, text(first)), b.SetAt(s.rooms, "b", 0, text("x")), b.SetAt(s.rooms, "c", 0, text("x")))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestABatchOfWhichAMessageIsLost is stored all the same, once, whichever it is: none of it stood before.
func TestABatchOfWhichAMessageIsLost(t *testing.T) {
	t.Parallel()
	for _, lost := range []kv.Key{"a", "b", "c"} {
		t.Run(string(lost), func(t *testing.T) {
			t.Parallel()
			srv := natstest.Start(t)
			s := newSite(t, srv.JetStream(t), 1)
			b := s.three(t, "x")
			count := srv.Lose(t, 1, fmt.Sprint("$KV.site.room.", lost))
			if revision, err := b.Commit(t.Context()); err != nil || revision != 3 || count() != 1 {
				t.Errorf("revision %d, %v, %d lost", revision, err, count())
			}
		})
	}
}

// TestALostBatchIsOvertaken: what is published again follows what it has read, or nothing of it is stored.
func TestALostBatchIsOvertaken(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	s := newSite(t, srv.JetStream(t), 1)
	b := s.three(t, "x")
	if _, err := s.rooms.Swap(t.Context(), "b", 0, text("theirs")); err != nil {
		t.Fatal(err)
	}
	lost := srv.Lose(t, 1, "$KV.site.room.a")
	if _, err := b.Commit(t.Context()); !errors.Is(err, kv.ErrConflict) || lost() != 1 {
		t.Errorf("Commit = %v, %d lost", err, lost())
	}
	for key, want := range map[kv.Key]string{"a": "", "b": "theirs", "c": ""} {
		if got := s.value(t, s.rooms, key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}

// TestABatchWhoseFirstMessageIsRefused fails with the reason, and is not tried until its time is up.
func TestABatchWhoseFirstMessageIsRefused(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	s := newSite(t, srv.JetStream(t), 1)
	stream, err := s.js.Stream(t.Context(), s.rooms.Name())
	if err != nil {
		t.Fatal(err)
	}
	narrow := stream.CachedInfo().Config
	narrow.MaxMsgSize = 1000 // by whoever looks after the server
	if _, err := s.js.UpdateStream(t.Context(), narrow); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if _, err := s.three(t, string(make([]byte, 2000))).Commit(t.Context()); !errors.Is(err, kv.ErrTooLarge) {
		t.Errorf("Commit = %v after %v", err, time.Since(began))
	}
}
