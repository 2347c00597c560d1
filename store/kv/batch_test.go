package kv_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/id"
	"oc-scheduler/store/kv"
)

// site is a bucket with keys of two kinds.
type site struct {
	js    jetstream.JetStream
	rooms *kv.Keys // of one token
	seats *kv.Keys // of two: room, seat
}

func newSite(t *testing.T, js jetstream.JetStream, replicas int) *site {
	t.Helper()
	var streams []*kv.Stream
	natstest.Eventually(t, "the bucket is there", func() bool {
		var err error
		streams, err = kv.Open(t.Context(), js, kv.Config{Replicas: replicas, Log: slog.New(slog.DiscardHandler)},
			kv.Layout{Bucket: "site", Batches: true, Schedules: true})
		return err == nil
	})
	return &site{
		js,
		streams[0].Keys(kv.Space{Bucket: "site", Prefix: "$KV.site.room.", Tokens: 1}),
		streams[0].Keys(kv.Space{Bucket: "site", Prefix: "$KV.site.seat.", Tokens: 2}),
	}
}

func text(s string) *kv.Write { return &kv.Write{Data: []byte(s)} }

func (s *site) value(t *testing.T, keys *kv.Keys, key kv.Key) string {
	t.Helper()
	m, err := keys.Value(t.Context(), key)
	if err != nil && !errors.Is(err, kv.ErrNotFound) {
		t.Fatal(err)
	}
	return string(m.Data)
}

func TestABatchIsAllOrNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, natstest.Start(t).JetStream(t), 1)
	b := s.rooms.NewBatch()
	for _, set := range []struct {
		keys *kv.Keys
		key  kv.Key
	}{{s.rooms, kv.KeyOf("r.1")}, {s.seats, kv.KeyOf("r.1", "left")}, {s.seats, kv.KeyOf("r.1", "right")}} {
		if m, err := b.Message(t.Context(), set.keys, set.key); err != nil || m.Revision != 0 {
			t.Fatalf("%+v, %v", m, err)
		}
		if err := b.Set(set.keys, set.key, text("mine")); err != nil {
			t.Fatal(err)
		}
	}
	revision, err := b.Commit(t.Context())
	if err != nil || revision != 3 {
		t.Fatalf("revision %d, %v", revision, err)
	}

	late := s.rooms.NewBatch()
	if err := late.Load(t.Context(), s.seats, kv.KeyOf("r.1", "left"), kv.KeyOf("r.1", "right"), kv.KeyOf("r.1", "none")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.seats.Swap(t.Context(), kv.KeyOf("r.1", "right"), 3, text("theirs")); err != nil {
		t.Fatal(err)
	}
	for seat, w := range map[string]*kv.Write{"left": kv.Remove(time.Hour), "right": text("mine again"), "none": text("new")} {
		if err := late.Set(s.seats, kv.KeyOf("r.1", seat), w); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := late.Commit(t.Context()); !errors.Is(err, kv.ErrConflict) {
		t.Errorf("Commit = %v", err)
	}
	for seat, want := range map[string]string{"left": "mine", "right": "theirs", "none": ""} {
		if got := s.value(t, s.seats, kv.KeyOf("r.1", seat)); got != want {
			t.Errorf("%s is %q, want %q", seat, got, want)
		}
	}
}

func TestWhatABatchRefuses(t *testing.T) {
	t.Parallel()
	s := newSite(t, natstest.Start(t).JetStream(t), 1)
	b := s.rooms.NewBatch()
	if _, err := b.Commit(t.Context()); !errors.Is(err, kv.ErrUnstorable) {
		t.Errorf("without changes: %v", err)
	}
	if err := b.Set(s.rooms, kv.KeyOf("never read"), text("x")); !errors.Is(err, kv.ErrUnstorable) {
		t.Errorf("never read: %v", err)
	}
	for _, key := range []kv.Key{"one", "of.three.tokens", kv.KeyOf("room", strings.Repeat("s", 5000))} {
		if err := b.Load(t.Context(), s.seats, key); !errors.Is(err, id.ErrInvalid) {
			t.Errorf("loading %.20q: %v", key, err)
		}
		if err := b.SetAt(s.seats, key, 0, text("x")); !errors.Is(err, id.ErrInvalid) {
			t.Errorf("setting %.20q: %v", key, err)
		}
	}
	for i := range kv.MaxBatch {
		if err := b.SetAt(s.rooms, kv.KeyOf(fmt.Sprint(i)), 0, text("x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.SetAt(s.rooms, kv.KeyOf("one more"), 0, text("x")); !errors.Is(err, kv.ErrTooLarge) {
		t.Errorf("one more: %v", err)
	}
	if err := b.SetAt(s.rooms, kv.KeyOf("7"), 0, text("again")); err != nil { // not one more
		t.Error(err)
	}
	if _, err := b.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.value(t, s.rooms, "7"); got != "again" {
		t.Errorf("7 is %q", got)
	}
}

// dropping loses the acknowledgements of the next commits, or the commits themselves.
type dropping struct {
	jetstream.JetStream
	mu        sync.Mutex
	answers   int
	afterward func() // runs before the answer is lost
}

func (d *dropping) PublishMsg(ctx context.Context, m *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	ack, err := d.JetStream.PublishMsg(ctx, m, opts...)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err == nil && d.answers > 0 {
		d.answers--
		d.afterward()
		return nil, nats.ErrTimeout
	}
	return ack, err
}

// A commit that is not acknowledged is found to stand, and not made twice; where another has followed, nobody
// can tell.
func TestABatchWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	js := &dropping{JetStream: natstest.Start(t).JetStream(t), afterward: func() {}}
	s := newSite(t, js, 1)
	commit := func(revision uint64, data string) (uint64, error) {
		b := s.rooms.NewBatch()
		if err := b.SetAt(s.rooms, "r", revision, text(data)); err != nil {
			t.Fatal(err)
		}
		return b.Commit(t.Context())
	}
	js.answers = 1
	revision, err := commit(0, "first")
	if err != nil || revision != 1 {
		t.Fatalf("revision %d, %v", revision, err)
	}
	js.answers = 1
	js.afterward = func() {
		if _, err := js.Publish(t.Context(), "$KV.site.room.r", []byte("theirs")); err != nil {
			t.Error(err)
		}
	}
	if _, err := commit(revision, "second"); !errors.Is(err, kv.ErrUnavailable) {
		t.Errorf("Commit = %v", err)
	}
	if got := s.value(t, s.rooms, "r"); got != "theirs" {
		t.Errorf("r is %q", got)
	}
}

// TestALostCommitIsMadeAgain loses the message that commits, not its answer.
func TestALostCommitIsMadeAgain(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	s := newSite(t, srv.JetStream(t), 1)
	b := s.rooms.NewBatch()
	for _, key := range []kv.Key{"a", "b"} {
		if err := b.SetAt(s.rooms, key, 0, text("x")); err != nil {
			t.Fatal(err)
		}
	}
	lost := srv.Lose(t, 1, "$KV.site.room.b")
	if revision, err := b.Commit(t.Context()); err != nil || revision != 2 || lost() != 1 {
		t.Errorf("revision %d, %v, %d lost", revision, err, lost())
	}
}

// TestBatchesOfManyWritersLoseNothing moves coins between rooms, in a cluster, where a key whose last write is
// still under way is no proof that it has changed.
func TestBatchesOfManyWritersLoseNothing(t *testing.T) {
	t.Parallel()
	servers := natstest.StartCluster(t, 3).Servers
	const rooms, writers, each = 4, 9, 12
	first := newSite(t, servers[0].JetStream(t), 3)
	for i := range rooms {
		if _, err := first.rooms.Swap(t.Context(), kv.KeyOf(fmt.Sprint(i)), 0, text("1000")); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	var doubtful atomic.Int32 // on a busy machine an acknowledgement may be late, and another write have followed
	for w := range writers {
		s := newSite(t, servers[w%3].JetStream(t), 3)
		all.Go(func() {
			for n := range each {
				switch err := s.move(w+n, rooms); {
				case errors.Is(err, kv.ErrUnavailable):
					doubtful.Add(1)
				case err != nil:
					t.Errorf("writer %d: %v", w, err)
				}
			}
		})
	}
	all.Wait()
	if n := doubtful.Load(); n > writers*each/10 {
		t.Errorf("the outcome of %d moves is in doubt", n)
	}
	sum := 0
	for i := range rooms {
		n := 0
		if _, err := fmt.Sscan(first.value(t, first.rooms, kv.KeyOf(fmt.Sprint(i))), &n); err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	if sum != rooms*1000 {
		t.Errorf("%d coins", sum)
	}
}

// move moves a coin from one room to the next, again when others were faster.
func (s *site) move(from, rooms int) error {
	for {
		b := s.rooms.NewBatch()
		for i, by := range []int{-1, +1} {
			key := kv.KeyOf(fmt.Sprint((from + i) % rooms))
			m, err := b.Message(context.Background(), s.rooms, key)
			if err != nil {
				return err
			}
			n := 0
			if _, err := fmt.Sscan(string(m.Data), &n); err != nil {
				return err
			}
			if err := b.Set(s.rooms, key, text(fmt.Sprint(n+by))); err != nil {
				return err
			}
		}
		if _, err := b.Commit(context.Background()); !errors.Is(err, kv.ErrConflict) {
			return err
		}
	}
}
