package kv

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// observed is what the metrics ask of a feed.
type observed interface {
	Age() time.Duration
	Broken() map[string]string
}

// Metrics are the collectors of all streams and views.
type Metrics struct {
	reg       prometheus.Registerer
	resyncs   *prometheus.CounterVec
	conflicts *prometheus.CounterVec
}

// NewMetrics registers the collectors; those of a nil registerer go nowhere.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	f := promauto.With(reg)
	return &Metrics{
		reg: reg,
		resyncs: f.NewCounterVec(prometheus.CounterOpts{
			Name: "oc_scheduler_view_resyncs_total",
			Help: "How often a view of a bucket was loaded again after it had lost the bucket.",
		}, []string{"bucket"}),
		conflicts: f.NewCounterVec(prometheus.CounterOpts{
			Name: "oc_scheduler_kv_conflicts_total",
			Help: "Writes that another writer of the same key came before; they are tried again.",
		}, []string{"bucket"}),
	}
}

func (m *Metrics) observe(bucket string, v observed) {
	m.resyncs.WithLabelValues(bucket)
	gauge := func(name, help string, labels prometheus.Labels, f func() float64) {
		promauto.With(m.reg).NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, f)
	}
	labels := prometheus.Labels{"bucket": bucket}
	gauge("oc_scheduler_view_age_seconds", "How long ago the view of a bucket was last known to be up to date; 0 while it is.",
		labels, func() float64 { return v.Age().Seconds() })
	gauge("oc_scheduler_view_broken_values", "Stored values that cannot be decoded and count as absent.",
		labels, func() float64 { return float64(len(v.Broken())) })
}
