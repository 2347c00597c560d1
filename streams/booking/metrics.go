package booking

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
)

// metrics are this replica's; those of a nil registerer go nowhere.
type metrics struct {
	bookings *prometheus.CounterVec
	commit   prometheus.Histogram
}

// What became of a request to book or to hold.
const (
	outcomeBooked  = "booked"
	outcomeTaken   = "taken"
	outcomeMissing = "planner missing"
	outcomeInvalid = "invalid"
	outcomeFailed  = "failed"
)

func newMetrics(reg prometheus.Registerer, p *plan.Plan) metrics {
	f := promauto.With(reg)
	m := metrics{
		bookings: f.NewCounterVec(prometheus.CounterOpts{
			Name: "oc_scheduler_bookings_total", Help: "Requests to book or to hold, and what became of them.",
		}, []string{"outcome"}),
		commit: f.NewHistogram(prometheus.HistogramOpts{
			Name:    "oc_scheduler_booking_duration_seconds",
			Help:    "Time to decide on and commit what was asked for; how often that was tried again, kv_conflicts_total of the plan tells.",
			Buckets: prometheus.ExponentialBuckets(0.001, 2.5, 10),
		}),
	}
	for _, outcome := range []string{outcomeBooked, outcomeTaken, outcomeMissing, outcomeInvalid, outcomeFailed} {
		m.bookings.WithLabelValues(outcome)
	}
	f.NewGaugeFunc(prometheus.GaugeOpts{Name: "oc_scheduler_holds_open", Help: "Holds that stand."}, func() float64 {
		return float64(p.HoldsOpen())
	})
	f.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "oc_scheduler_occurrences_in_conflict", Help: "Occurrences to come, of schedules that have not ended, that can't be booked.",
	}, func() float64 {
		n := 0
		for _, s := range p.Schedules().All() {
			if s.State == schedule.Active || s.State == schedule.Paused {
				n += s.Conflicts(p.Now())
			}
		}
		return float64(n)
	})
	return m
}

// note counts a request that was begun at a time.
func (m metrics) note(began time.Time, err error) {
	_, taken := errors.AsType[*TakenError](err)
	_, missing := errors.AsType[*MissingError](err)
	_, invalid := errors.AsType[fault.List](err)
	outcome := outcomeFailed
	switch {
	case err == nil:
		outcome = outcomeBooked
		m.commit.Observe(time.Since(began).Seconds())
	case taken:
		outcome = outcomeTaken
	case missing:
		outcome = outcomeMissing
	case invalid, errors.Is(err, ErrUnknownWorkflow):
		outcome = outcomeInvalid
	}
	m.bookings.WithLabelValues(outcome).Inc()
}
