package httpapi

import (
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"oc-scheduler/httpapi/carry"
)

// metrics are what the server tells of itself, beside its carriers. Labels are of bounded kinds: carriers, codes, route
// templates; never ids.
type metrics struct {
	sent    *prometheus.CounterVec
	latency prometheus.Histogram
	request *prometheus.HistogramVec
	panics  prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) *metrics {
	auto := promauto.With(reg)
	return &metrics{
		sent: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "oc_scheduler_results_sent_total", Help: "Results written to clients of check streams.",
		}, []string{"carrier"}),
		latency: auto.NewHistogram(prometheus.HistogramOpts{
			Name: "oc_scheduler_notify_latency_seconds", Help: "From the storing of a planner to the written frame it caused.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 15),
		}),
		request: auto.NewHistogramVec(prometheus.HistogramOpts{
			Name: "oc_scheduler_http_request_duration_seconds", Help: "Duration of HTTP requests other than streams.",
			Buckets: prometheus.ExponentialBuckets(0.0001, 4, 9),
		}, []string{"method", "route", "code"}),
		panics: auto.NewCounter(prometheus.CounterOpts{
			Name: "oc_scheduler_http_panics_total", Help: "Panics caught in handlers.",
		}),
	}
}

// wrote notes a frame that a client has taken.
func (m *metrics) wrote(carrier string, frame carry.Frame) {
	if frame.Event != eventResult {
		return
	}
	m.sent.WithLabelValues(carrier).Inc()
	if !frame.Stored.IsZero() {
		m.latency.Observe(time.Since(frame.Stored).Seconds())
	}
}

// observe tells whether the replica is ready, each time that is asked for.
func (h health) observe(reg prometheus.Registerer) {
	promauto.With(reg).NewGaugeFunc(prometheus.GaugeOpts{Name: "oc_scheduler_ready", Help: "1 while /readyz says that this replica is ready."}, func() float64 {
		if slices.ContainsFunc(h.standings(), func(s Standing) bool { return !s.OK }) {
			return 0
		}
		return 1
	})
}
