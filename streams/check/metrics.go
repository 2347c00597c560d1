package check

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

type metrics struct{ duration prometheus.Histogram }

// newMetrics registers the collectors; with a nil reg they count unseen.
func newMetrics(reg prometheus.Registerer) metrics {
	return metrics{promauto.With(reg).NewHistogram(prometheus.HistogramOpts{
		Name:    "oc_scheduler_check_duration_seconds",
		Help:    "Time to evaluate one check that no stream had asked before.",
		Buckets: prometheus.ExponentialBuckets(5e-6, 4, 10),
	})}
}
