package kv_test

import (
	"slices"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
)

// Several kinds of keys stand in one stream; each is followed, listed and read by itself.
func TestSpacesOfOneStreamAreApart(t *testing.T) {
	t.Parallel()
	s := newSite(t, natstest.Start(t).JetStream(t), 1)
	rooms := kv.NewView(s.rooms, func(_ kv.Key, m kv.Message) (string, error) { return string(m.Data), nil })
	seats := kv.NewView(s.seats, func(key kv.Key, m kv.Message) ([]string, error) { return key.IDs(2) })
	var changed []string
	seats.OnChange(func(key string) { changed = append(changed, key) })
	swap := func(keys *kv.Keys, key kv.Key, revision uint64, w *kv.Write) uint64 {
		t.Helper()
		revision, err := keys.Swap(t.Context(), key, revision, w)
		if err != nil {
			t.Fatal(err)
		}
		return revision
	}
	swap(s.rooms, kv.KeyOf("r.1"), 0, text("a room"))
	swap(s.seats, kv.KeyOf("r.1", "b"), 0, text("a seat"))
	if _, err := s.js.Publish(t.Context(), "$KV.site.seat.stray", nil); err != nil { // a key of one token
		t.Fatal(err)
	}
	natstest.Run(t, rooms.Run)
	stop := natstest.Run(t, seats.Run)
	natstest.Receive(t, rooms.Loaded())
	natstest.Receive(t, seats.Loaded())
	revision := swap(s.seats, kv.KeyOf("r.1", "a"), 0, text("another"))
	natstest.Eventually(t, "the other seat shows", func() bool { return seats.Len() == 2 })

	if e, ok := rooms.Get("r.1"); !ok || e.Value != "a room" || rooms.Len() != 1 || len(rooms.Broken()) != 0 {
		t.Errorf("rooms: %+v, %v, %v", e, ok, rooms.Broken())
	}
	if e, ok := seats.Get("r.1", "a"); !ok || !slices.Equal(e.Value, []string{"r.1", "a"}) || e.Revision != revision {
		t.Errorf("seat a: %+v, %v", e, ok)
	}
	if page := seats.Page("r=2E1.a", 9); len(page) != 1 || page[0].ID != "r=2E1.b" {
		t.Errorf("page = %+v", page)
	}
	if broken := seats.Broken(); len(broken) != 1 || broken["seat.stray"] == "" {
		t.Errorf("broken = %v", broken)
	}
	n := 0
	for r, err := range kv.Read(t.Context(), s.js, s.seats.Space, func(key kv.Key, _ kv.Message) (kv.Key, error) { return key, nil }) {
		if n++; err != nil || (r.Err != nil) != (r.Key == "stray") || r.Value == "" != (r.Key == "stray") {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if n != 3 {
		t.Errorf("%d seats read", n)
	}
	swap(s.seats, kv.KeyOf("r.1", "b"), 2, kv.Remove(time.Hour))
	natstest.Eventually(t, "the first seat is gone", func() bool { return seats.Len() == 1 })
	stop()
	if !slices.Equal(changed, []string{"r=2E1.b", "r=2E1.a", "r=2E1.b"}) {
		t.Errorf("changes = %v", changed)
	}
}
