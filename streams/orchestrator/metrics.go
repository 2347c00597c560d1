package orchestrator

import (
	"math"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"oc-scheduler/store"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/kv"
)

// metrics are this replica's; those of a nil registerer go nowhere.
type metrics struct {
	handshakes *prometheus.CounterVec
	heartbeats *prometheus.CounterVec
	offers     *prometheus.CounterVec
	events     *prometheus.CounterVec
	losses     prometheus.Counter
}

// What became of an event.
const (
	outcomeHandled   = "handled"
	outcomeDuplicate = "duplicate"
	outcomeGap       = "gap"
	outcomeForeign   = "foreign"
	outcomeDead      = "dead"
	outcomeUnordered = "unordered"
)

func newMetrics(reg prometheus.Registerer) *metrics {
	counters := func(name, help, label string, values ...string) *prometheus.CounterVec {
		c := promauto.With(reg).NewCounterVec(prometheus.CounterOpts{Name: "oc_scheduler_" + name, Help: help}, []string{label})
		for _, v := range values {
			c.WithLabelValues(v)
		}
		return c
	}
	return &metrics{
		handshakes: counters("node_handshakes_total", "Handshakes of compute nodes.", "result", "accepted", "refused", "failed"),
		heartbeats: counters("node_heartbeats_total", "Heartbeats of compute nodes.", "result", "fresh", "old", "session over"),
		offers:     counters("node_offers_total", "Offers of compute nodes.", "result", "accepted", "refused", "old", "session over"),
		events: counters("node_events_total", "Events of compute nodes, and what became of them.", "result",
			outcomeHandled, outcomeDuplicate, outcomeGap, outcomeForeign, outcomeDead, outcomeUnordered),
		losses: promauto.With(reg).NewCounter(prometheus.CounterOpts{
			Name: "oc_scheduler_nodes_lost_total", Help: "Compute nodes that this replica marked as lost.",
		}),
	}
}

// watch adds what is read when it is asked for.
func (m *metrics) watch(reg prometheus.Registerer, st *store.Store, d *desk) {
	nodes := st.Nodes.View()
	if reg != nil {
		reg.MustRegister(executions{st.Executions.View()})
	}
	gauge := func(name, help string, labels prometheus.Labels, f func() float64) {
		promauto.With(reg).NewGaugeFunc(prometheus.GaugeOpts{Name: "oc_scheduler_" + name, Help: help, ConstLabels: labels}, f)
	}
	for _, state := range []store.NodeState{store.NodeNew, store.NodeConnected, store.NodeLost, store.NodeGone} {
		gauge("nodes", "Compute nodes, by state.", prometheus.Labels{"state": string(state)}, func() float64 {
			return float64(countNodes(nodes, func(n store.NodeRecord) bool { return n.State == state }))
		})
	}
	gauge("nodes_pending", "Compute nodes that wait for an operator's approval.", nil, func() float64 {
		return float64(countNodes(nodes, func(n store.NodeRecord) bool { return n.Membership == store.Pending }))
	})
	gauge("node_partitions", "Partitions of nodes whose events this replica handles.", nil, func() float64 { return float64(d.partitions()) })
	gauge("node_events_waiting", "Events that this replica has yet to read, or handle.", nil, func() float64 { return float64(d.lag()) })
}

// executions counts what is on record, by state: once for all states, when it is asked for.
type executions struct{ view *kv.View[execution.Execution] }

var executionsDesc = prometheus.NewDesc("oc_scheduler_executions", "Executions on record, by state.", []string{"state"}, nil)

// Describe names the one metric.
func (executions) Describe(all chan<- *prometheus.Desc) { all <- executionsDesc }

// Collect counts now.
func (e executions) Collect(all chan<- prometheus.Metric) {
	counts := map[string]int{}
	for _, x := range e.view.All() {
		counts[string(x.State)]++
	}
	for _, state := range execution.States() {
		all <- prometheus.MustNewConstMetric(executionsDesc, prometheus.GaugeValue, float64(counts[state]), state)
	}
}

func countNodes(nodes *kv.View[store.NodeRecord], counts func(store.NodeRecord) bool) (n int) {
	for _, item := range nodes.Page("", math.MaxInt) {
		if counts(item.Value) {
			n++
		}
	}
	return n
}
