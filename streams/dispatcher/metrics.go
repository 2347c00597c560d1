package dispatcher

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

type metrics struct {
	acknowledged, leftOut, missing prometheus.Counter
	failures, stalls               prometheus.Counter
}

// newMetrics registers the collectors, or finds those of an earlier Dispatcher, which go on counting.
func newMetrics(reg prometheus.Registerer) (metrics, error) {
	events, err := counters(reg, "oc_scheduler_dispatcher_events_total",
		"Events of the ledger: acknowledged by the stream, left out because no message could be made of them, or missing because the ledger had forgotten them before they were sent.", "outcome")
	recoveries, err2 := counters(reg, "oc_scheduler_dispatcher_recoveries_total",
		"Times that sending began again after the last acknowledged event, by reason.", "reason")
	if err = errors.Join(err, err2); err != nil {
		return metrics{}, err
	}
	return metrics{
		events.WithLabelValues("acknowledged"), events.WithLabelValues("left_out"), events.WithLabelValues("missing"),
		recoveries.WithLabelValues("failure"), recoveries.WithLabelValues("stall"),
	}, nil
}

func counters(reg prometheus.Registerer, name, help, label string) (*prometheus.CounterVec, error) {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
	if reg == nil {
		return c, nil
	}
	err := reg.Register(c)
	if already, is := errors.AsType[prometheus.AlreadyRegisteredError](err); is {
		if have, ours := already.ExistingCollector.(*prometheus.CounterVec); ours {
			return have, nil
		}
	}
	return c, err
}
