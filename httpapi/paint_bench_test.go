package httpapi_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
)

// BenchmarkFirstPaint gets the page of a workflow of 50 items, each on a peer of its own with 5,000 slots: "first" after
// all planners are new, "again" when nothing has changed.
func BenchmarkFirstPaint(b *testing.B) {
	const items, slots = 50, 5000
	s := newSite(b, defaults)
	start := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	var list []string
	for i := range items {
		list = append(list, fmt.Sprintf(`"n%d":{"compute":{"id":"r","peer_id":"p%d","demand":{"c":3}}}`, i, i))
	}
	ask := func(method, path, body string) (bytes int64) {
		request, err := http.NewRequestWithContext(b.Context(), method, s.url+path, strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		response, err := s.client.Do(request)
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		if bytes, err = io.Copy(io.Discard, response.Body); err != nil || response.StatusCode >= http.StatusBadRequest {
			b.Fatal(response.Status, err)
		}
		return bytes
	}
	ask(http.MethodPut, "/oc/w", `{"id":"w","graph":{"items":{`+strings.Join(list, ",")+`},"links":[]}}`)
	plan := func(round int) {
		for i := range items {
			doc := new(bytes.Buffer)
			fmt.Fprintf(doc, `{"peer_id":"p%d","generated_at":"2026-11-30T00:00:00Z","capacities":{"r":{"i":{"c":64}}},"schedule":{"r":[`, i)
			for n := range slots {
				if n > 0 {
					doc.WriteByte(',')
				}
				at := start.Add(time.Duration(n) * 8 * time.Minute)
				fmt.Fprintf(doc, `{"start":%q,"end":%q,"instance_id":"i","usage":{"c":%d}}`, at.Format(time.RFC3339), at.Add(12*time.Minute).Format(time.RFC3339), 1+(n+round)%30)
			}
			doc.WriteString(`]}}`)
			s.planned(b, doc.Bytes())
		}
		natstest.Eventually(b, "the planners are in view", func() bool { return s.parts.Planners.Len() == items })
	}
	const page = "/ui/workflows/w?start=2026-12-03T00:00:00Z&duration=1h&zoom=month"
	b.Run("first", func(b *testing.B) {
		for round := 0; b.Loop(); round++ {
			b.StopTimer()
			plan(round)
			b.StartTimer()
			b.ReportMetric(float64(ask(http.MethodGet, page, "")), "bytes")
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			ask(http.MethodGet, page, "")
		}
	})
}
