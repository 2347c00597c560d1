package httpapi_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"oc-scheduler/httpapi"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/workflow"
)

// BenchmarkPostCheck answers checks without a network: one request for all, and another window each time.
func BenchmarkPostCheck(b *testing.B) {
	s := newSite(b, defaults)
	raw := []byte(sampleWorkflow("w", 8))
	w, err := workflow.Decode(raw)
	if err != nil {
		b.Fatal(err)
	}
	if _, _, _, err := s.parts.Editor.PutWorkflow(b.Context(), w, raw, store.Author{Subject: access.Anonymous, Keep: true}, store.Condition{}); err != nil {
		b.Fatal(err)
	}
	s.plan(b, "peer-a", 4)
	for s.parts.Workflows.Len() == 0 || s.parts.Planners.Len() == 0 {
		pause(b)
	}
	server, err := httpapi.New(defaults, nil, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	if err != nil {
		b.Fatal(err)
	}
	server.Attach(s.parts)
	b.Run("same", func(b *testing.B) { postChecks(b, server.Handler(), 0, "") })
	b.Run("other", func(b *testing.B) { postChecks(b, server.Handler(), time.Second, "") })
	guard, err := httpapi.New(guarded(), nil, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	if err != nil {
		b.Fatal(err)
	}
	guard.Attach(s.parts)
	bearer := s.as(b, access.Viewer)
	b.Run("same, with a token", func(b *testing.B) { postChecks(b, guard.Handler(), 0, bearer) })
}

// postChecks asks for windows that are step apart, as the bearer of a token unless it is "".
func postChecks(b *testing.B, h http.Handler, step time.Duration, bearer string) {
	b.Helper()
	start := time.Now().UTC().Truncate(time.Second)
	w := &discarded{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		body := fmt.Sprintf(`{"start":"%s","duration_s":3600}`, start.Format(time.RFC3339))
		r, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "/oc/w/check", strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		r.Header.Set("User-Agent", "bench") // nobody sends no header at all
		if bearer != "" {
			r.Header.Set("Authorization", bearer)
		}
		clear(w.header)
		if h.ServeHTTP(w, r); w.status != http.StatusOK {
			b.Fatal(w.status)
		}
		start = start.Add(step)
	}
}

// discarded is an answer that nobody reads.
type discarded struct {
	header http.Header
	status int
}

func (d *discarded) Header() http.Header         { return d.header }
func (d *discarded) WriteHeader(status int)      { d.status = status }
func (d *discarded) Write(p []byte) (int, error) { return len(p), nil }
