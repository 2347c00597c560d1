package ncl_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/ncl"
)

// BenchmarkRequest asks by turns, in portions of the same bytes: raw, a subscription that sends back
// what it gets, and a Publisher and Responder. ×raw is how long the latter takes, as a multiple.
func BenchmarkRequest(b *testing.B) {
	srv := natstest.Start(b)
	answering, nc := srv.Connect(b), srv.Connect(b)
	if _, err := answering.Subscribe("raw", func(m *nats.Msg) { _ = m.Respond(m.Data) }); err != nil {
		b.Fatal(err)
	}
	r, err := ncl.NewResponder(ncl.ResponderConfig{Conn: answering, Subject: "ctrl.*", Queue: "q", Codec: codec(), Handler: ncl.RequestFunc(echo)})
	if err != nil {
		b.Fatal(err)
	}
	if err := r.Listen(b.Context()); err != nil {
		b.Fatal(err)
	}
	frame, err := codec().Encode(note(1))
	if err != nil {
		b.Fatal(err)
	}
	p, ctx := ncl.NewPublisher(nc, codec()), patient(b)
	const portion = 1000
	var raw, ours time.Duration
	n := 0
	for b.Loop() {
		began := time.Now()
		for range portion {
			if _, err := nc.RequestWithContext(ctx, "raw", frame); err != nil {
				b.Fatal(err)
			}
		}
		between := time.Now()
		for range portion {
			if _, err := p.Request(ctx, ncl.PublishRequest{Subject: "ctrl.a", Message: note(1)}); err != nil {
				b.Fatal(err)
			}
		}
		raw, ours = raw+between.Sub(began), ours+time.Since(between)
		n += portion
	}
	b.ReportMetric(float64(raw.Microseconds())/float64(n), "raw-µs")
	b.ReportMetric(float64(ours.Microseconds())/float64(n), "ours-µs")
	b.ReportMetric(ours.Seconds()/raw.Seconds(), "×raw")
	if err := r.Close(ctx); err != nil {
		b.Error(err)
	}
}
