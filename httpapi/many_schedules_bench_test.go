package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
)

// BenchmarkPageOfManySchedules gets the page of a workflow with so many schedules that have not ended, each of which has
// booked fourteen days.
func BenchmarkPageOfManySchedules(b *testing.B) {
	s := newSite(b, defaults)
	s.request(b, http.MethodPut, "/oc/w", `{"id":"w","graph":{"items":{"a":{"compute":{"id":"r","peer_id":"p","demand":{"c":1}}}},"links":[]}}`)
	s.planned(b, []byte(`{"peer_id":"p","generated_at":"2026-11-30T00:00:00Z","capacities":{"r":{"i":{"c":10000}}},"schedule":{}}`))
	natstest.Eventually(b, "the planner is in view", func() bool { return s.parts.Planners.Len() == 1 })
	made := 0
	for _, many := range []int{0, 200, 2000} {
		for ; made < many; made++ {
			s.request(b, http.MethodPost, "/oc/w/schedules", `{"cron":"0 8 * * *","duration_s":60}`)
		}
		natstest.Eventually(b, "they are in view", func() bool { return s.parts.Plan.Schedules().Len() == made })
		b.Run(fmt.Sprint(many), func(b *testing.B) {
			var bytes int64
			for b.Loop() {
				bytes = s.request(b, http.MethodGet, "/ui/workflows/w?duration=1h&start="+time.Now().UTC().AddDate(0, 0, 30).Format(time.RFC3339), "")
			}
			b.ReportMetric(float64(bytes), "bytes")
		})
	}
}
