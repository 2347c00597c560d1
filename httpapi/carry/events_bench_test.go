package carry_test

import (
	"crypto/tls"
	"io"
	"log/slog"
	"testing"

	"oc-scheduler/httpapi/carry"
)

// BenchmarkEvents is a frame of 1 KiB to a client that keeps up, as an event.
func BenchmarkEvents(b *testing.B) {
	for _, sealed := range []bool{false, true} {
		b.Run(map[bool]string{false: "plain", true: "TLS"}[sealed], func(b *testing.B) {
			told := make(chan struct{})
			carriers := carry.New(carry.Config{}, carry.Hooks{Wrote: func(string, carry.Frame) { told <- struct{}{} }}, slog.New(slog.DiscardHandler), nil)
			server := serving(carriers, sealed, &endless{frame: carry.Frame{Event: "result", Data: make([]byte, 1<<10)}})
			defer server.Close()
			conn, err := joined(b.Context(), server.URL+"/events", roots())
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			if c, ok := conn.(*tls.Conn); ok {
				conn = c.NetConn() // what it is to read is not what is measured
			}
			go func() { _, _ = io.Copy(io.Discard, conn) }()
			b.ReportAllocs()
			for b.Loop() {
				<-told
			}
			go func() {
				for range told {
				}
			}()
			if err := carriers.Drain(b.Context()); err != nil {
				b.Error(err)
			}
			close(told)
		})
	}
}

// endless says the same for ever.
type endless struct {
	feed
	frame carry.Frame
}

func (e *endless) Poll() (carry.Frame, bool, error) { return e.frame, true, nil }
