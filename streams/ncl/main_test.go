package ncl_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
)

func TestMain(m *testing.M) {
	natstest.VerifyTestMain(m)
}

// Note is the payload of all messages here.
type Note struct {
	N    int    `json:"n"`
	Text string `json:"text,omitempty"`
}

// UnmarshalJSON panics for some, as a payload of an embedder may.
func (n *Note) UnmarshalJSON(data []byte) error {
	type plain Note
	err := json.Unmarshal(data, (*plain)(n))
	if n.Text == "unreadable" {
		panic("a secret")
	}
	return err
}

// MarshalJSON panics for some.
func (n Note) MarshalJSON() ([]byte, error) {
	type plain Note
	if n.Text == "unwritable" {
		panic("a secret")
	}
	return json.Marshal(plain(n))
}

func codec() envelope.Codec {
	r := envelope.NewRegistry()
	if err := r.Register("Note", Note{}); err != nil {
		panic(err)
	}
	return envelope.Codec{Serializer: envelope.Serializer{}, Registry: r}
}

func note(n int) *envelope.Message {
	return &envelope.Message{Header: envelope.Header{Sequence: uint64(n)}, Payload: Note{N: n}}
}

// patient is a context that ends long after any of this should have.
func patient(tb testing.TB) context.Context {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(tb.Context()), time.Minute)
	tb.Cleanup(cancel)
	return ctx
}

// withStream makes stream NOTES on subject notes.
func withStream(tb testing.TB, js jetstream.JetStream, change ...func(*jetstream.StreamConfig)) {
	tb.Helper()
	c := jetstream.StreamConfig{Name: "NOTES", Subjects: []string{"notes"}}
	for _, f := range change {
		f(&c)
	}
	if _, err := js.CreateStream(patient(tb), c); err != nil {
		tb.Fatal(err)
	}
}

// stored are the numbers of the notes in the stream.
func stored(tb testing.TB, js jetstream.JetStream) (numbers []int) {
	tb.Helper()
	stream, err := js.Stream(patient(tb), "NOTES")
	if err != nil {
		tb.Fatal(err)
	}
	for seq := uint64(1); seq <= stream.CachedInfo().State.LastSeq; seq++ {
		raw, err := stream.GetMsg(patient(tb), seq)
		if err != nil {
			tb.Fatal(err)
		}
		m, err := codec().Decode(raw.Data)
		if err != nil {
			tb.Fatal(err)
		}
		numbers = append(numbers, m.Payload.(*Note).N)
	}
	return numbers
}

func orderedPublisher(tb testing.TB, js jetstream.JetStream, change ...func(*ncl.OrderedPublisherConfig)) ncl.OrderedPublisher {
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

// send publishes a note, which must be taken.
func send(tb testing.TB, p ncl.OrderedPublisher, n int) ncl.PubFuture {
	tb.Helper()
	f, err := p.PublishAsync(patient(tb), ncl.PublishRequest{Subject: "notes", Message: note(n)})
	if err != nil {
		tb.Fatalf("note %d: %v", n, err)
	}
	return f
}

// outcome waits for a future.
func outcome(tb testing.TB, f ncl.PubFuture) error {
	tb.Helper()
	select {
	case <-f.Done():
		return f.Err()
	case <-patient(tb).Done():
		tb.Fatal("no outcome")
		return nil
	}
}

// recorder is a MessageHandler.
type recorder struct {
	mu   sync.Mutex
	seen []int
	fail func(n, times int) error // the outcome of a note that was seen so many times; nil: none fails
}

func (r *recorder) ShouldProcess(_ context.Context, m *envelope.Message) bool {
	return m.Payload.(*Note).Text != "skip"
}

func (r *recorder) HandleMessage(_ context.Context, m *envelope.Message) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, times := m.Payload.(*Note).N, 1
	for _, other := range r.seen {
		if other == n {
			times++
		}
	}
	r.seen = append(r.seen, n)
	if r.fail != nil {
		return r.fail(n, times)
	}
	return nil
}

func (r *recorder) saw() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprint(r.seen)
}
