package dispatcher_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/dispatcher"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/watcher"
)

func TestMain(m *testing.M) {
	natstest.VerifyTestMain(m)
}

const subject = "out.n1"

// changed is the payload of all messages here: the object of an event, which is a number, or a text.
type changed json.RawMessage

func (c *changed) UnmarshalJSON(data []byte) error { *c = append((*c)[:0], data...); return nil }

// MarshalJSON panics when there is nothing to write.
func (c changed) MarshalJSON() ([]byte, error) {
	_ = c[0]
	return c, nil
}

func codec() envelope.Codec {
	r := envelope.NewRegistry()
	if err := r.Register("changed", changed{}); err != nil {
		panic(err)
	}
	return envelope.Codec{Serializer: envelope.Serializer{}, Registry: r}
}

// creator makes messages of runs, none of other objects, and fails for those of type poison.
type creator struct{}

func (creator) CreateMessage(e watcher.Event) (*envelope.Message, error) {
	switch e.ObjectType {
	case "run":
		return &envelope.Message{Header: envelope.Header{Type: "changed"}, Payload: e.Object}, nil
	case "poison":
		return nil, errors.New("poison")
	case "unknown":
		return &envelope.Message{Payload: 7}, nil
	}
	return nil, nil
}

func patient(tb testing.TB) context.Context {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(tb.Context()), time.Minute)
	tb.Cleanup(cancel)
	return ctx
}

func memory(tb testing.TB) watcher.EventStore {
	tb.Helper()
	s := watcher.NewMemoryStore()
	tb.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

func bolt(tb testing.TB) watcher.EventStore {
	tb.Helper()
	s, err := watcher.OpenBolt(filepath.Join(tb.TempDir(), "ledger"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// store appends an event for each object type.
func store(tb testing.TB, s watcher.EventStore, objectTypes ...string) {
	tb.Helper()
	for _, objectType := range objectTypes {
		_, err := s.StoreEvent(tb.Context(), watcher.StoreEventRequest{
			Operation: watcher.OperationUpdate, ObjectType: objectType, Object: objectType,
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
}

func runs(tb testing.TB, s watcher.EventStore, n int) {
	tb.Helper()
	for range n {
		store(tb, s, "run")
	}
}

// quick tries again at once, and keeps its checkpoint at the end only.
func quick() dispatcher.Config {
	return dispatcher.Config{
		Backoff: backoff.NewConstantBackOff(time.Millisecond), CheckpointInterval: time.Hour, StallTimeout: time.Hour,
	}
}

func params(s watcher.EventStore, p ncl.OrderedPublisher) dispatcher.Params {
	return dispatcher.Params{Name: "d", Subject: subject, Publisher: p, Store: s, Creator: creator{}}
}

func dispatch(tb testing.TB, cfg dispatcher.Config, p dispatcher.Params) *dispatcher.Dispatcher {
	tb.Helper()
	d, err := dispatcher.New(cfg, p)
	if err != nil {
		tb.Fatal(err)
	}
	if err := d.Start(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { stop(tb, d) })
	return d
}

func stop(tb testing.TB, d *dispatcher.Dispatcher) {
	tb.Helper()
	if err := d.Stop(patient(tb)); err != nil {
		tb.Error(err)
	}
}

// await waits until so much is acknowledged.
func await(tb testing.TB, d *dispatcher.Dispatcher, sequence uint64) {
	tb.Helper()
	natstest.Eventually(tb, fmt.Sprintf("event %d is acknowledged", sequence), func() bool {
		return d.State().LastAcknowledged >= sequence
	})
}

func same[T comparable](tb testing.TB, what string, got, want T) {
	tb.Helper()
	if got != want {
		tb.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func checkpoint(tb testing.TB, s watcher.EventStore) uint64 {
	tb.Helper()
	n, err := s.GetCheckpoint(patient(tb), "d")
	if err != nil && !errors.Is(err, watcher.ErrCheckpointNotFound) {
		tb.Fatal(err)
	}
	return n
}

// withStream makes stream OUT for the messages.
func withStream(tb testing.TB, js jetstream.JetStream, change ...func(*jetstream.StreamConfig)) jetstream.Stream {
	tb.Helper()
	c := jetstream.StreamConfig{Name: "OUT", Subjects: []string{"out.*"}}
	for _, f := range change {
		f(&c)
	}
	stream, err := js.CreateStream(patient(tb), c)
	if err != nil {
		tb.Fatal(err)
	}
	return stream
}

func publisher(tb testing.TB, js jetstream.JetStream, change ...func(*ncl.OrderedPublisherConfig)) ncl.OrderedPublisher {
	tb.Helper()
	c := ncl.OrderedPublisherConfig{Codec: codec()}
	for _, f := range change {
		f(&c)
	}
	p, err := ncl.NewOrderedPublisher(js.Conn(), c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := p.Close(patient(tb)); err != nil {
			tb.Error(err)
		}
	})
	return p
}

// reader takes messages as the scheduler does.
type reader struct {
	last       uint64
	previous   uint64 // of the last
	taken      []uint64
	duplicates int
	gaps       int
}

func (r *reader) take(m *envelope.Message) {
	switch {
	case m.Sequence <= r.last:
		r.duplicates++
	case m.Previous <= r.last:
		r.last, r.previous, r.taken = m.Sequence, m.Previous, append(r.taken, m.Sequence)
	default:
		r.gaps++
	}
}

// read takes all that the stream holds.
func read(tb testing.TB, js jetstream.JetStream, r *reader, ledger string) {
	tb.Helper()
	stream, err := js.Stream(patient(tb), "OUT")
	if err != nil {
		tb.Fatal(err)
	}
	info := stream.CachedInfo().State
	if info.Msgs == 0 {
		return
	}
	consumer, err := js.OrderedConsumer(patient(tb), "OUT", jetstream.OrderedConsumerConfig{})
	if err != nil {
		tb.Fatal(err)
	}
	messages, err := consumer.Messages()
	if err != nil {
		tb.Fatal(err)
	}
	defer messages.Stop()
	for range info.Msgs {
		raw, err := messages.Next(jetstream.NextContext(patient(tb)))
		if err != nil {
			tb.Fatal(err)
		}
		m, err := codec().Decode(raw.Data())
		if err != nil {
			tb.Fatal(err)
		}
		same(tb, "source", m.Source, ledger)
		r.take(m)
	}
}

// all says whether events 1 to n were taken, in order. There may have been gaps before they came again:
// a stream that refuses a message may store the next one, which is on its way already.
func (r *reader) all(tb testing.TB, n int) {
	tb.Helper()
	if len(r.taken) != n {
		tb.Fatalf("%d of %d events arrived; %d duplicates, %d gaps", len(r.taken), n, r.duplicates, r.gaps)
	}
	for i, sequence := range r.taken {
		if sequence != uint64(i+1) {
			tb.Fatalf("event %d is at place %d", sequence, i+1)
		}
	}
}
