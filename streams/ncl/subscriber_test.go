package ncl_test

import (
	"errors"
	"math"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
)

// tracker is a Tracker.
type tracker struct{ last atomic.Uint64 }

func (t *tracker) Processed(sequence uint64) { t.last.Store(sequence) }
func (t *tracker) LastSequence() uint64      { return t.last.Load() }

// reading is a Subscriber with what it reports to.
type reading struct {
	*ncl.Subscriber
	recorder
	tracker
	ended   chan error
	skipped chan error
}

func withConsumer(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	_, err := js.CreateConsumer(patient(t), "NOTES", jetstream.ConsumerConfig{
		Name: "reader", AckPolicy: jetstream.AckNonePolicy, MemoryStorage: true,
	})
	if err != nil {
		t.Fatal(err)
	}
}

func subscriber(t *testing.T, js jetstream.JetStream, change ...func(*ncl.SubscriberConfig)) *reading {
	t.Helper()
	r := &reading{ended: make(chan error, 10), skipped: make(chan error, 10)}
	c := ncl.SubscriberConfig{
		JetStream: js, Stream: "NOTES", Consumer: "reader", Codec: codec(), Handler: &r.recorder, Tracker: &r.tracker,
		OnEnd: func(err error) { r.ended <- err }, OnSkip: func(err error) { r.skipped <- err },
		Backoff: func() backoff.BackOff { return new(backoff.ZeroBackOff) },
	}
	for _, f := range change {
		f(&c)
	}
	var err error
	if r.Subscriber, err = ncl.NewSubscriber(c); err != nil {
		t.Fatal(err)
	}
	if err := r.Subscribe(patient(t)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(patient(t)); err != nil {
			t.Error(err)
		}
	})
	return r
}

// put stores a message in the stream.
func put(t *testing.T, js jetstream.JetStream, m *envelope.Message) {
	t.Helper()
	frame, err := codec().Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(patient(t), "notes", frame); err != nil {
		t.Fatal(err)
	}
}

func (r *reading) awaitLast(t *testing.T, sequence uint64) {
	t.Helper()
	natstest.Eventually(t, "all are processed", func() bool { return r.LastSequence() == sequence })
}

func TestASubscriberReadsInOrder(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	withStream(t, js)
	r := subscriber(t, js) // before there is a consumer
	r.fail = func(n, times int) error {
		switch {
		case n == 3 && times < 10:
			return errors.New("not yet")
		case n == 5:
			return ncl.Permanent(errors.New("never"))
		case n == 6:
			panic("always")
		case n == 9:
			runtime.Goexit()
		}
		return nil
	}
	for n := 2; n <= 3; n++ {
		put(t, js, note(n))
	}
	if _, err := js.Publish(t.Context(), "notes", []byte("rubbish")); err != nil {
		t.Fatal(err)
	}
	put(t, js, note(5))
	put(t, js, note(6))
	put(t, js, &envelope.Message{Payload: Note{N: 7, Text: "skip"}})
	put(t, js, note(8))
	put(t, js, note(9))
	put(t, js, &envelope.Message{Payload: Note{N: 10, Text: "unreadable"}})
	put(t, js, note(11))
	withConsumer(t, js)
	r.Open()
	r.awaitLast(t, 10)
	if got := r.saw(); got != "[2 3 3 3 3 3 3 3 3 3 3 5 6 8 9 11]" {
		t.Errorf("saw %s", got)
	}
	if len(r.skipped) != 5 || len(r.ended) != 0 {
		t.Errorf("%d skipped, %d ends", len(r.skipped), len(r.ended))
	}
}

// TestWhatIsProcessedEndsTheReading: orders that were passed over in silence would never be handled.
func TestWhatIsProcessedEndsTheReading(t *testing.T) {
	t.Parallel()
	for _, processed := range []uint64{2, 3, math.MaxUint64 - 1, math.MaxUint64} {
		js := natstest.Start(t).JetStream(t)
		withStream(t, js)
		put(t, js, note(1))
		put(t, js, note(2))
		withConsumer(t, js)
		r := subscriber(t, js)
		r.Processed(processed)
		r.Open()
		if err := <-r.ended; !errors.Is(err, ncl.ErrBehind) {
			t.Errorf("ended: %v", err)
		}
		if got := r.saw(); got != "[]" || r.LastSequence() != processed {
			t.Errorf("saw %s, stands at %d", got, r.LastSequence())
		}
	}
}

func TestAGapEndsTheReading(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	withStream(t, js)
	put(t, js, note(1))
	put(t, js, note(2))
	withConsumer(t, js)
	cons, err := js.Consumer(t.Context(), "NOTES", "reader")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cons.Next(); err != nil { // somebody else reads from it
		t.Fatal(err)
	}
	r := subscriber(t, js)
	r.Open()
	if err := <-r.ended; !errors.Is(err, ncl.ErrGap) {
		t.Errorf("ended: %v", err)
	}
	if got := r.saw(); got != "[]" {
		t.Errorf("saw %s", got)
	}
}
