package carry

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// The carriers, as the metrics name them.
const (
	WebSocket = "websocket"
	Events    = "sse"
	Text      = "text"
)

// metrics are labelled by carrier and by code, which are few.
type metrics struct {
	open   *prometheus.GaugeVec
	closed *prometheus.CounterVec
}

// newMetrics registers the collectors; with a nil reg they count unseen.
func newMetrics(reg prometheus.Registerer) metrics {
	auto := promauto.With(reg)
	return metrics{
		open: auto.NewGaugeVec(prometheus.GaugeOpts{
			Name: "oc_scheduler_streams_open", Help: "Streams open now, of answers and of output.",
		}, []string{"carrier"}),
		closed: auto.NewCounterVec(prometheus.CounterOpts{
			Name: "oc_scheduler_streams_closed_total",
			Help: "Streams that ended, by close code, or slow and no_pong for clients cut without one.",
		}, []string{"carrier", "code"}),
	}
}

// Opened counts a stream in by what carries it; closed, to be called once, counts it out under its ending.
func (c *Carriers) Opened(carrier string) (closed func(*Ending)) {
	c.metrics.open.WithLabelValues(carrier).Inc()
	return func(e *Ending) {
		c.metrics.open.WithLabelValues(carrier).Dec()
		c.metrics.closed.WithLabelValues(carrier, e.String()).Inc()
	}
}
