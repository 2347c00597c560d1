package httpapi

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// metrics are what the server tells of itself. Labels are of bounded kinds: carriers, codes, route
// templates; never ids.
type metrics struct {
	open    *prometheus.GaugeVec
	closed  *prometheus.CounterVec
	sent    *prometheus.CounterVec
	latency prometheus.Histogram
	request *prometheus.HistogramVec
	panics  prometheus.Counter
}

func newMetrics(reg prometheus.Registerer) *metrics {
	auto := promauto.With(reg)
	return &metrics{
		open: auto.NewGaugeVec(prometheus.GaugeOpts{
			Name: "oc_scheduler_streams_open", Help: "Streams open now, of answers and of output.",
		}, []string{"carrier"}),
		closed: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "oc_scheduler_streams_closed_total",
			Help: "Streams that ended, by close code, or slow and no_pong for clients cut without one.",
		}, []string{"carrier", "code"}),
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
