package run

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/run"
)

// metrics are this replica's; those of a nil registerer go nowhere.
type metrics struct {
	late  prometheus.Histogram
	ended *prometheus.CounterVec
}

func newMetrics(reg prometheus.Registerer, st *store.Store) metrics {
	f := promauto.With(reg)
	m := metrics{
		late: f.NewHistogram(prometheus.HistogramOpts{
			Name:    "oc_scheduler_run_start_lateness_seconds",
			Help:    "How long after they were due runs started that this replica started.",
			Buckets: prometheus.ExponentialBuckets(0.005, 2.5, 12),
		}),
		ended: f.NewCounterVec(prometheus.CounterOpts{
			Name: "oc_scheduler_runs_ended_total",
			Help: "Runs that this replica saw end, by state and by the word of their reason.",
		}, []string{"state", "reason"}),
	}
	for _, why := range []run.Word{run.NotStarted, run.WindowIsOver} {
		m.ended.WithLabelValues(string(run.Missed), string(why))
	}
	m.ended.WithLabelValues(string(run.Completed), "")
	gauge := func(name, help string, labels prometheus.Labels, of func() int) {
		f.NewGaugeFunc(prometheus.GaugeOpts{Name: "oc_scheduler_" + name, Help: help, ConstLabels: labels}, func() float64 { return float64(of()) })
	}
	for _, state := range []run.State{run.Scheduled, run.Starting, run.Running, run.Completed, run.Failed, run.Cancelled, run.Missed} {
		gauge("runs", "Runs that are remembered, by state.", prometheus.Labels{"state": string(state)}, func() (n int) {
			for _, r := range st.Plan.Runs().All() {
				if r.State == state {
					n++
				}
			}
			return n
		})
	}
	gauge("steps_running", "Executions of steps that nodes are at.", nil, func() (n int) {
		for _, e := range st.Executions.View().All() {
			if e.RunID != "" && e.State == execution.Running {
				n++
			}
		}
		return n
	})
	gauge("timers_waiting", "Schedules and runs that wait for a time: each has one timer.", nil, func() (n int) {
		for _, r := range st.Plan.Runs().All() {
			if !r.State.Final() {
				n++
			}
		}
		for _, s := range st.Plan.Schedules().All() {
			if !s.State.Final() {
				n++
			}
		}
		return n
	})
	return m
}

// note counts what a stored turn has brought about.
func (m metrics) note(t turn) {
	for _, it := range t.out.History {
		switch {
		case it.Kind != run.OfRun:
		case it.To == run.Starting && t.next.LateS != nil:
			m.late.Observe(*t.next.LateS)
		case it.To.Final():
			word, _ := run.WordOf(it.Reason)
			m.ended.WithLabelValues(string(it.To), string(word)).Inc()
		}
	}
}
