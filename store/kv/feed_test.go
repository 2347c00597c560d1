package kv_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
)

// TestViewsOfOneFeedKeepTheOrder holds that who sees the last write of a batch in one view sees the others in
// theirs, while batches come in, and after an outage.
func TestViewsOfOneFeedKeepTheOrder(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	s := newSite(t, server.JetStream(t), 1)
	feed := kv.NewFeed(s.rooms.Stream)
	decode := func(_ kv.Key, m kv.Message) (string, error) { return string(m.Data), nil }
	rooms, seats := kv.NewViewOf(feed, s.rooms, decode), kv.NewViewOf(feed, s.seats, decode)
	rooms.OnChange(func(string) { // a room comes last in its batch
		room, _ := rooms.Get("r")
		if seat, _ := seats.Get("r", "a"); seat.Value < room.Value {
			t.Errorf("room %q shows before its seat, %q", room.Value, seat.Value)
		}
	})
	var values []string
	seats.OnValue(func(_ kv.Key, before, after string) { values = append(values, before+">"+after) })
	stop := natstest.Run(t, feed.Run)
	natstest.Receive(t, rooms.Loaded())
	room, seat, revision := kv.KeyOf("r"), kv.KeyOf("r", "a"), uint64(0)
	for n := range 50 {
		if n == 25 {
			server.Restart(t)
		}
		natstest.Eventually(t, "both are written", func() bool {
			var err error
			b, value := s.rooms.NewBatch(), text(fmt.Sprintf("%02d", n))
			if err = b.Load(t.Context(), s.rooms, room); err == nil {
				err = b.Load(t.Context(), s.seats, seat)
			}
			if err == nil {
				err = errors.Join(b.Set(s.seats, seat, value), b.Set(s.rooms, room, value))
			}
			if err == nil {
				revision, err = b.Commit(t.Context())
			}
			return err == nil
		})
	}
	if err := feed.Await(t.Context(), revision); err != nil {
		t.Fatal(err)
	}
	if e, _ := rooms.Get("r"); e.Revision != revision || feed.Seen() != revision {
		t.Errorf("revision %d, seen %d, want %d", e.Revision, feed.Seen(), revision)
	}
	stop()
	for i := 1; i < len(values); i++ { // some may be passed over
		if values[i][:2] != values[i-1][len(values[i-1])-2:] {
			t.Errorf("%q follows %q", values[i], values[i-1])
		}
	}
	soon, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := feed.Await(soon, revision+1); err == nil {
		t.Error("what nobody has written was awaited")
	}
}

// TestWhoWaitsInVain is told that NATS is out of reach, or that he has gone himself, whatever the last look failed for.
func TestWhoWaitsInVain(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	feed := kv.NewFeed(newSite(t, server.JetStream(t), 1).rooms.Stream)
	server.Stop()
	late, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	if err := feed.Sync(late); !errors.Is(err, kv.ErrUnavailable) {
		t.Errorf("when the time is over: %v", err)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := feed.Sync(gone); !errors.Is(err, context.Canceled) || errors.Is(err, kv.ErrUnavailable) {
		t.Errorf("who has gone: %v", err)
	}
}
