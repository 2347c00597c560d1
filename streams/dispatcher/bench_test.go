package dispatcher_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/dispatcher"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/watcher"
)

// BenchmarkDispatch delivers events of 1 KB that a ledger on disk holds, from there until the stream
// has acknowledged the last; and by turns the same frames as raw as the client library pipelines them.
// %raw is how many the Dispatcher delivers in a second, in percent of the latter.
func BenchmarkDispatch(b *testing.B) {
	const portion = 20_000
	s := bolt(b)
	fill(b, s, portion)
	srv := natstest.Start(b)
	withStream(b, srv.JetStream(b))
	frame := frameOf(b, s)
	js, err := jetstream.New(srv.Connect(b), jetstream.WithPublishAsyncMaxPending(ncl.DefaultMaxPending))
	if err != nil {
		b.Fatal(err)
	}
	p := publisher(b, srv.JetStream(b))
	publishRaw(b, js, frame, portion) // both are warm then
	deliver(b, params(s, p), portion)
	var raw, ours time.Duration
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		began := time.Now()
		publishRaw(b, js, frame, portion)
		between := time.Now()
		deliver(b, params(s, p), portion)
		raw, ours = raw+between.Sub(began), ours+time.Since(between)
		n += portion
	}
	b.ReportMetric(100*raw.Seconds()/ours.Seconds(), "%raw")
	b.ReportMetric(float64(n)/raw.Seconds(), "raw/s")
	b.ReportMetric(float64(n)/ours.Seconds(), "dispatched/s")
	b.ReportMetric(float64(len(frame)), "B/frame")
}

// fill stores n events of 1 KB.
func fill(b *testing.B, s watcher.EventStore, n int) {
	b.Helper()
	object := json.RawMessage(`"` + strings.Repeat("x", 1022) + `"`)
	var work sync.WaitGroup
	for range 100 {
		work.Go(func() {
			for range n / 100 {
				_, err := s.StoreEvent(b.Context(), watcher.StoreEventRequest{Operation: watcher.OperationUpdate, ObjectType: "run", Object: object})
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	work.Wait()
}

// frameOf is the frame that the last event travels in.
func frameOf(b *testing.B, s watcher.EventStore) []byte {
	b.Helper()
	newest, err := s.GetLatestEventNum(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	events, err := s.GetEvents(b.Context(), watcher.GetEventsRequest{AfterSeqNum: newest - 1})
	if err != nil {
		b.Fatal(err)
	}
	m, err := creator{}.CreateMessage(events[0])
	if err != nil {
		b.Fatal(err)
	}
	m.Header = envelope.Header{Type: m.Type, Source: s.LedgerID(), Sequence: newest, Previous: newest - 1, Time: time.Now().UTC()}
	frame, err := codec().Encode(m)
	if err != nil {
		b.Fatal(err)
	}
	return frame
}

func publishRaw(b *testing.B, js jetstream.JetStream, frame []byte, n int) {
	b.Helper()
	for range n {
		if _, err := js.PublishAsync(subject, frame, jetstream.WithStallWait(time.Minute)); err != nil {
			b.Fatal(err)
		}
	}
	<-js.PublishAsyncComplete()
}

// deliver runs a Dispatcher from the beginning of the ledger until the stream has acknowledged event n.
func deliver(b *testing.B, p dispatcher.Params, n uint64) {
	b.Helper()
	d, err := dispatcher.New(dispatcher.Config{}, p)
	if err != nil {
		b.Fatal(err)
	}
	if err := d.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	natstest.Eventually(b, "all are acknowledged", func() bool { return d.State().LastAcknowledged == n })
	stop(b, d)
	if d.State().Recoveries > 0 {
		b.Fatalf("it had to begin again: %+v", d.State())
	}
}
