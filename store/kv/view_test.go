package kv_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
)

// textView is a view of a bucket of plain texts.
type textView struct {
	*kv.View[string]
	js jetstream.JetStream

	mu      sync.Mutex
	changes []string
	decoded int
}

func newTextView(t *testing.T, srv *natstest.Server) *textView {
	t.Helper()
	return viewTexts(t, srv.JetStream(t))
}

func viewTexts(t *testing.T, js jetstream.JetStream) *textView {
	t.Helper()
	v := &textView{js: js}
	v.View = kv.NewView(texts(t, js), v.decode)
	v.OnChange(func(id string) {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.changes = append(v.changes, id)
	})
	return v
}

// texts are the keys of a bucket of plain texts.
func texts(t *testing.T, js jetstream.JetStream) *kv.Keys {
	t.Helper()
	streams, err := kv.Open(t.Context(), js, kv.Config{Replicas: 1, Log: slog.New(slog.DiscardHandler)}, kv.Layout{Bucket: "texts"})
	if err != nil {
		t.Fatal(err)
	}
	return streams[0].Keys(kv.BucketSpace("texts"))
}

func (v *textView) decode(key kv.Key, m kv.Message) (string, error) {
	v.mu.Lock()
	v.decoded++
	v.mu.Unlock()
	switch text := string(m.Data); text {
	case "broken":
		return "", errors.New("it says so")
	case "panic":
		panic("at " + key)
	default:
		return text, nil
	}
}

func (v *textView) put(t *testing.T, key, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a large one takes a busy machine its time
	defer cancel()
	if _, err := v.js.Publish(ctx, "$KV.texts."+key, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func (v *textView) awaits(t *testing.T, id, text string) {
	t.Helper()
	natstest.Eventually(t, id+" is "+text, func() bool {
		e, ok := v.Get(id)
		return e.Value == text && ok == (text != "")
	})
}

func (v *textView) taken() (changes []string, decoded int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	changes, decoded = v.changes, v.decoded
	v.changes, v.decoded = nil, 0
	return changes, decoded
}

func TestAnEmptyViewIsLoaded(t *testing.T) {
	t.Parallel()
	v := newTextView(t, natstest.Start(t))
	if v.Current() {
		t.Error("current before it runs")
	}
	natstest.Run(t, v.Run)
	natstest.Receive(t, v.Loaded())
	if !v.Current() || v.Age() != 0 || v.Len() != 0 || len(v.Page("", 10)) != 0 {
		t.Error("not an empty view that is current")
	}
}

func TestAViewFollowsItsBucket(t *testing.T) {
	t.Parallel()
	v := newTextView(t, natstest.Start(t))
	for i := range 300 {
		v.put(t, fmt.Sprintf("k%03d", i), "old")
	}
	natstest.Run(t, v.Run)
	natstest.Receive(t, v.Loaded())
	if v.Len() != 300 {
		t.Errorf("%d values after loading", v.Len())
	}
	v.taken()
	v.put(t, "k007", "new")
	v.awaits(t, "k007", "new")
	bucket, err := v.js.KeyValue(t.Context(), "texts")
	if err != nil {
		t.Fatal(err)
	}
	if err := bucket.Delete(t.Context(), "k008"); err != nil {
		t.Fatal(err)
	}
	v.awaits(t, "k008", "")
	if _, err := v.js.Publish(t.Context(), "$KV.texts.k009", []byte("brief"), jetstream.WithMsgTTL(time.Second)); err != nil {
		t.Fatal(err)
	}
	v.awaits(t, "k009", "brief")
	v.awaits(t, "k009", "") // by the server's own marker, which has no operation
	if changes, _ := v.taken(); !slices.Equal(changes, []string{"k007", "k008", "k009", "k009"}) {
		t.Errorf("changes = %v", changes)
	}
	if v.Len() != 298 || !v.Current() {
		t.Errorf("%d values, current: %v", v.Len(), v.Current())
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	v := newTextView(t, natstest.Start(t))
	want := []string{"a", "a b", "a.b", "a~", "b", "é"} // byte order of ids, which is not that of keys
	for _, key := range []string{"b", "a", "=C3=A9", "a=20b", "a=2Eb", "a=7E"} {
		v.put(t, key, "x")
	}
	v.put(t, "bad", "broken")
	natstest.Run(t, v.Run)
	natstest.Receive(t, v.Loaded())
	var got []string
	for after := ""; ; {
		page := v.Page(after, 2)
		if len(page) == 0 {
			break
		}
		for _, item := range page {
			got = append(got, item.ID)
		}
		after = page[len(page)-1].ID
	}
	if !slices.Equal(got, want) {
		t.Errorf("pages = %q, want %q", got, want)
	}
	if rest := v.Page("a!", 100); len(rest) != 4 {
		t.Errorf("after an id that is not there: %v", rest)
	}
	if none := v.Page("", 0); len(none) != 0 {
		t.Errorf("limit 0: %v", none)
	}
}

func TestBrokenValuesCountAsAbsent(t *testing.T) {
	t.Parallel()
	v := newTextView(t, natstest.Start(t))
	v.put(t, "a", "fine")
	v.put(t, "b", "broken")
	v.put(t, "c", "panic")
	v.put(t, "=zz", "no identifier")
	v.put(t, "a.b", "no identifier")
	natstest.Run(t, v.Run)
	natstest.Receive(t, v.Loaded())
	broken := v.Broken()
	for key, why := range map[string]string{"b": "it says so", "c": "panic: at c", "=zz": "invalid id", "a.b": "invalid id"} {
		if !strings.Contains(broken[key], why) {
			t.Errorf("Broken()[%q] = %q, want %q", key, broken[key], why)
		}
		if _, ok := v.Get(key); ok {
			t.Errorf("%s has a value", key)
		}
	}
	if len(broken) != 4 || v.Len() != 1 {
		t.Errorf("broken = %v, %d values", broken, v.Len())
	}
	v.taken()
	v.put(t, "a", "broken")
	v.awaits(t, "a", "")
	v.put(t, "b", "mended")
	v.awaits(t, "b", "mended")
	if changes, _ := v.taken(); !slices.Equal(changes, []string{"a", "b"}) || len(v.Broken()) != 4 {
		t.Errorf("changes = %v, broken = %v", changes, v.Broken())
	}
}

func TestAViewIsCurrentSoonAfterARestart(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	v := newTextView(t, srv)
	for i := range 50 {
		v.put(t, fmt.Sprintf("k%d", i), "stays")
	}
	if _, err := v.js.Publish(t.Context(), "$KV.texts.expires", []byte("x"), jetstream.WithMsgTTL(time.Second)); err != nil {
		t.Fatal(err)
	}
	expires := time.Now().Add(time.Second)
	natstest.Run(t, v.Run)
	v.awaits(t, "expires", "x")
	stream, err := v.js.Stream(t.Context(), "KV_texts")
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Purge(t.Context(), jetstream.WithPurgeSubject("$KV.texts.k7")); err != nil { // leaves no marker
		t.Fatal(err)
	}
	srv.Stop()
	natstest.Eventually(t, "the view notices", func() bool { return !v.Current() && v.Age() > 0 })
	natstest.Eventually(t, "the key has run out", func() bool { return time.Now().After(expires) })
	if v.Len() != 51 {
		t.Errorf("%d values while the server is away", v.Len())
	}
	v.taken()
	srv.Restart(t)
	back := time.Now()
	natstest.Eventually(t, "the view is current", v.Current)
	took := time.Since(back)
	t.Logf("current %v after the server's return", took)
	if took > 2*time.Second { // what is promised to users
		t.Errorf("current only %v after the server's return", took)
	}
	if _, ok := v.Get("k7"); ok {
		t.Error("what was removed without a trace is still there")
	}
	v.awaits(t, "expires", "")
	v.put(t, "k1", "new")
	v.awaits(t, "k1", "new")
	changes, decoded := v.taken()
	slices.Sort(changes)
	if !slices.Equal(changes, []string{"expires", "k1", "k7"}) || decoded != 1 {
		t.Errorf("changes = %v, %d values decoded: what did not change was taken for new", changes, decoded)
	}
}

func TestLoadingEndsWhileKeysAreWrittenAndPurged(t *testing.T) {
	t.Parallel()
	v := newTextView(t, natstest.Start(t))
	for i := range 500 {
		v.put(t, fmt.Sprintf("stays%d", i), "x")
	}
	writer := v.js
	natstest.Run(t, func(ctx context.Context) error {
		for i := 0; ctx.Err() == nil; i++ {
			key := fmt.Sprintf("$KV.texts.moves%d", i%50)
			if _, err := writer.PublishAsync(key, []byte("x")); err != nil {
				return err
			}
			if _, err := writer.Publish(ctx, key, nil, jetstream.WithMsgTTL(time.Second)); err != nil && ctx.Err() == nil {
				return err
			}
		}
		return nil
	})
	natstest.Run(t, v.Run)
	natstest.Receive(t, v.Loaded())
	for i := range 500 {
		if _, ok := v.Get(fmt.Sprintf("stays%d", i)); !ok {
			t.Fatalf("loaded without stays%d", i)
		}
	}
}

func TestConsumersDoNotPileUp(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	v := newTextView(t, srv)
	for range 5 {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- v.Run(ctx) }()
		natstest.Eventually(t, "the view is current", v.Current)
		cancel()
		if err := natstest.Receive(t, done); err != nil {
			t.Fatal(err)
		}
		if v.Current() {
			t.Error("current though it does not run")
		}
	}
	stream, err := v.js.Stream(t.Context(), "KV_texts")
	if err != nil {
		t.Fatal(err)
	}
	info, err := stream.Info(t.Context())
	if err != nil || info.State.Consumers != 0 {
		t.Errorf("%d consumers are left, %v", info.State.Consumers, err)
	}
}

// The largest message that a server stores comes through, and what follows it.
func TestTheLargestMessageIsFollowed(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t, func(o *server.Options) { o.MaxPayload = 32 << 20 })
	v := newTextView(t, srv)
	largest := strings.Repeat("x", 32<<20-200)
	v.put(t, "a", "before")
	v.put(t, "b", largest)
	v.put(t, "c", "after")
	natstest.Run(t, v.Run)
	natstest.Receive(t, v.Loaded())
	v.put(t, "a", largest)
	v.put(t, "c", "at last")
	v.awaits(t, "c", "at last")
	for _, id := range []string{"a", "b"} {
		if e, _ := v.Get(id); len(e.Value) != len(largest) {
			t.Errorf("%s has %d bytes", id, len(e.Value))
		}
	}
}
