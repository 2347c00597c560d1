package events

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Outcomes of a delivery.
const (
	outcomeHandled  = "handled"
	outcomeSkipped  = "skipped"
	outcomeRejected = "rejected"
	outcomeRetried  = "retried"
	outcomeIgnored  = "ignored"
)

type metrics struct {
	events   *prometheus.CounterVec
	rejected *prometheus.CounterVec
	sessions prometheus.Counter
	lag      prometheus.Gauge
}

// newMetrics registers the collectors; with a nil registerer they only count.
func newMetrics(reg prometheus.Registerer) *metrics {
	f := promauto.With(reg)
	m := &metrics{
		events: f.NewCounterVec(prometheus.CounterOpts{
			Name: "oc_scheduler_bus_events_total",
			Help: "Deliveries of events of the OpenCloud bus, by what became of them.",
		}, []string{"subject", "outcome"}),
		rejected: f.NewCounterVec(prometheus.CounterOpts{
			Name: "oc_scheduler_bus_rejected_total",
			Help: "Messages of the OpenCloud bus that were kept as dead letters, by reason.",
		}, []string{"reason"}),
		sessions: f.NewCounter(prometheus.CounterOpts{
			Name: "oc_scheduler_bus_sessions_total",
			Help: "Subscriptions to the consumer of the OpenCloud bus; more than one means outages.",
		}),
		lag: f.NewGauge(prometheus.GaugeOpts{
			Name: "oc_scheduler_bus_lag_events",
			Help: "Events that no replica has handled yet, by the server's word.",
		}),
	}
	for _, reason := range reasons { // an alert on growth misses a series that begins with 1
		m.rejected.WithLabelValues(reason)
	}
	for _, subject := range []string{Propagation, CreateResource, RemoveResource} {
		m.events.WithLabelValues(subject, outcomeRetried)
	}
	m.events.WithLabelValues(Propagation, outcomeIgnored)
	return m
}
