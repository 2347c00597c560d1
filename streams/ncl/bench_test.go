package ncl_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/envelope"
	"oc-scheduler/streams/ncl"
)

const inFlight = 1024

// BenchmarkOrderedPublisher stores messages of 1 KB, by turns in portions of the same bytes: raw, as
// the client library pipelines them, and through an OrderedPublisher, encoding included. %raw is how
// many the latter stores in a second, in percent of the former.
func BenchmarkOrderedPublisher(b *testing.B) {
	m := &envelope.Message{Header: envelope.Header{Source: "ledger", Sequence: 7, Previous: 6, Time: time.Now()}, Payload: &Note{Text: strings.Repeat("text ", 180)}}
	b.Run("struct", func(b *testing.B) { compare(b, m) })
	payload, err := json.Marshal(m.Payload)
	if err != nil {
		b.Fatal(err)
	}
	raw := &envelope.Message{Header: m.Header, Payload: json.RawMessage(payload)}
	raw.Type = "Note"
	b.Run("json", func(b *testing.B) { compare(b, raw) })
}

func compare(b *testing.B, m *envelope.Message) {
	frame, err := codec().Encode(m)
	if err != nil {
		b.Fatal(err)
	}
	srv := natstest.Start(b)
	withStream(b, srv.JetStream(b))
	js, err := jetstream.New(srv.Connect(b), jetstream.WithPublishAsyncMaxPending(inFlight))
	if err != nil {
		b.Fatal(err)
	}
	p := orderedPublisher(b, srv.JetStream(b), func(c *ncl.OrderedPublisherConfig) { c.MaxPending = inFlight })
	const portion = 20_000
	storeRaw(b, js, frame, portion) // both are warm then
	storeOrdered(b, p, m, portion)
	var raw, ordered time.Duration
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		began := time.Now()
		storeRaw(b, js, frame, portion)
		between := time.Now()
		storeOrdered(b, p, m, portion)
		raw, ordered = raw+between.Sub(began), ordered+time.Since(between)
		n += portion
	}
	b.ReportMetric(100*raw.Seconds()/ordered.Seconds(), "%raw")
	b.ReportMetric(float64(n)/raw.Seconds(), "raw/s")
	b.ReportMetric(float64(n)/ordered.Seconds(), "ordered/s")
}

func storeRaw(b *testing.B, js jetstream.JetStream, frame []byte, n int) {
	b.Helper()
	for range n {
		if _, err := js.PublishAsync("notes", frame, jetstream.WithStallWait(time.Minute)); err != nil {
			b.Fatal(err)
		}
	}
	<-js.PublishAsyncComplete()
}

func storeOrdered(b *testing.B, p ncl.OrderedPublisher, m *envelope.Message, n int) {
	b.Helper()
	var last ncl.PubFuture
	for range n {
		f, err := p.PublishAsync(b.Context(), ncl.PublishRequest{Subject: "notes", Message: m})
		if err != nil {
			b.Fatal(err)
		}
		last = f
	}
	<-last.Done()
	if err := last.Err(); err != nil {
		b.Fatal(err)
	}
}
