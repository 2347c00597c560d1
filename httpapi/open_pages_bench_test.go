package httpapi_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// BenchmarkOpenPages compares what two hundred open pages of a workflow cost, while one of its planners changes so often,
// with as many bare check streams. The processor's time is that of the replica, its NATS, and those who read. It is told
// by the second, for pages and streams need not be told the same number of times.
func BenchmarkOpenPages(b *testing.B) {
	const clients = 200
	for _, every := range []time.Duration{time.Second, 200 * time.Millisecond, 50 * time.Millisecond} {
		for what, path := range map[string]string{"streams": "/oc/w/check", "pages": "/ui/workflows/w"} {
			b.Run(fmt.Sprintf("%s, a change each %v", what, every), func(b *testing.B) {
				s := newSite(b, defaults)
				s.busy(b, 0)
				var told, size atomic.Int64
				for range clients {
					conn := s.dialRaw(b, path+"?start=2026-12-03T00:00:00Z&duration=1h", nil)
					if err := conn.SetDeadline(time.Time{}); err != nil {
						b.Fatal(err)
					}
					conn.Reader = bufio.NewReaderSize(conn.Reader, 64<<10) // as a browser reads, in large pieces
					go func() {
						for {
							n, err := conn.discard()
							if err != nil {
								return
							}
							told.Add(1)
							size.Add(n)
						}
					}()
				}
				for told.Load() < clients {
					time.Sleep(time.Millisecond)
				}
				began, used, before, bytesBefore := time.Now(), processor(b), told.Load(), size.Load()
				for round := 1; b.Loop(); round++ {
					s.busy(b, round)
					time.Sleep(time.Until(began.Add(time.Duration(round) * every)))
				}
				seconds := time.Since(began).Seconds()
				b.ReportMetric(1e3*(processor(b)-used).Seconds()/seconds, "ms-cpu/s")
				b.ReportMetric(float64(told.Load()-before)/clients/seconds, "told/s")
				b.ReportMetric(float64(size.Load()-bytesBefore)/float64(max(told.Load()-before, 1)), "bytes")
			})
		}
	}
}

// busy stores a workflow of three items, and the next planner of their peer, with 500 slots.
func (s *site) busy(b *testing.B, round int) {
	b.Helper()
	if round == 0 {
		s.request(b, http.MethodPut, "/oc/w", `{"id":"w","graph":{"items":{"a":{"compute":{"id":"r","peer_id":"p","demand":{"c":3}}},
			"b":{"compute":{"id":"r","peer_id":"p","demand":{"c":5}}},"d":{"compute":{"id":"r","peer_id":"p","demand":{"c":7}}}},"links":[]}}`)
	}
	doc := new(bytes.Buffer)
	doc.WriteString(`{"peer_id":"p","generated_at":"2026-11-30T00:00:00Z","capacities":{"r":{"i":{"c":64},"j":{"c":32}}},"schedule":{"r":[`)
	for n := range 500 {
		if n > 0 {
			doc.WriteByte(',')
		}
		at := time.Date(2026, 12, 2, 22, 0, 0, 0, time.UTC).Add(time.Duration(n) * 8 * time.Minute)
		fmt.Fprintf(doc, `{"start":%q,"end":%q,"instance_id":"i","usage":{"c":%d}}`, at.Format(time.RFC3339), at.Add(12*time.Minute).Format(time.RFC3339), 1+(n+round)%30)
	}
	doc.WriteString(`]}}`)
	s.planned(b, doc.Bytes())
}

// request asks for something that is to succeed, and returns how much is answered.
func (s *site) request(b *testing.B, method, path, body string) (size int64) {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), method, s.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		b.Fatal(err)
	}
	response, err := s.client.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if size, err = io.Copy(io.Discard, response.Body); err != nil || response.StatusCode >= http.StatusBadRequest {
		b.Fatal(response.Status, err)
	}
	return size
}

// discard reads a frame, and returns its size.
func (r rawSocket) discard() (size int64, err error) {
	head := make([]byte, 8)
	if _, err := io.ReadFull(r.Reader, head[:2]); err != nil {
		return 0, err
	}
	switch size = int64(head[1]); size {
	case 126:
		_, err = io.ReadFull(r.Reader, head[:2])
		size = int64(binary.BigEndian.Uint16(head))
	case 127:
		_, err = io.ReadFull(r.Reader, head)
		size = int64(binary.BigEndian.Uint64(head))
	}
	if err == nil {
		_, err = io.CopyN(io.Discard, r.Reader, size)
	}
	return size, err
}

// processor is the time that this process has had of it.
func processor(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
