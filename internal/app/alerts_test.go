package app_test

import (
	"bufio"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
)

// alerts are the conditions of README's table, by metric, each with a fault that raises it.
var alerts = map[string]func(t *testing.T, s *stricken){
	`view_age_seconds`:                        cutOff,
	`bus_rejected_total`:                      deadLetter,
	`node_events_total{result="dead"}`:        deadNodeEvent,
	`bus_lag_events`:                          pausedBus,
	`node_events_waiting`:                     pausedNodes,
	`bus_events_total{outcome="retried"}`:     sealed,
	`bus_sessions_total`:                      flapping,
	`view_resyncs_total`:                      flapping,
	`view_broken_values`:                      brokenValue,
	`nodes{state="lost"}`:                     silentNode,
	`nodes_pending`:                           movedNode,
	`node_handshakes_total{result="refused"}`: foreignNode,
	`notify_latency_seconds`:                  slowLink,
	`http_panics_total`:                       defect,
	`runs_ended_total{state="missed"}`:        overslept,
}

var (
	alertMetric = regexp.MustCompile("`([a-z_]+(?:\\{[^}`]*\\})?)`")
	alertLimit  = regexp.MustCompile(`> (\d+)`)
)

// alertsOfREADME are the metrics of the table that tells what to watch, with the limits that stand there; a
// growing one has none.
func alertsOfREADME(t *testing.T) map[string]float64 {
	t.Helper()
	found := map[string]float64{}
	lines := bufio.NewScanner(strings.NewReader(read(t, "../../README.md")))
	for inside := false; lines.Scan(); {
		cells := strings.Split(lines.Text(), "|")
		if len(cells) < 2 {
			inside = false
			continue
		}
		if strings.TrimSpace(cells[1]) == "alert" {
			inside = true
		}
		if !inside {
			continue
		}
		limit := 0.0
		if at := alertLimit.FindStringSubmatch(cells[1]); at != nil {
			limit, _ = strconv.ParseFloat(at[1], 64) // digits
		}
		for _, name := range alertMetric.FindAllStringSubmatch(cells[1], -1) {
			found[name[1]] = limit
		}
	}
	return found
}

// TestEachAlertFires makes the fault of each alert, on a replica of its own, and waits for the metric.
func TestEachAlertFires(t *testing.T) {
	t.Parallel()
	told := alertsOfREADME(t)
	for _, name := range slices.Sorted(maps.Keys(alerts)) {
		if _, stands := told[name]; !stands {
			t.Errorf("%s is in no row of the README", name)
		}
	}
	for name, limit := range told {
		fault := alerts[name]
		if fault == nil {
			t.Errorf("%s: what makes it fire?", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := strike(t)
			before := s.metric(t, name)
			if name != "bus_sessions_total" && before > limit {
				t.Errorf("%v before anything happened", before)
			}
			fault(t, s)
			until(t, name+" fires", func() bool { return s.metric(t, name) > max(before, limit) })
		})
	}
}

// stricken is a replica with a link to NATS that can be struck.
type stricken struct {
	*running
	server *natstest.Server
	link   *natstest.Proxy
}

func strike(t *testing.T) *stricken {
	t.Helper()
	server := natstest.Start(t)
	link := natstest.StartProxy(t, server.Addr())
	c := valid()
	c.NATSURL = []string{link.URL()}
	s := &stricken{start(t, c), server, link}
	s.awaitReady(t)
	until(t, "the bus is read", func() bool { return s.metric(t, "bus_sessions_total") > 0 })
	return s
}

// metric sums the samples of a metric; of a histogram it is the least duration, in seconds, of the slowest
// hundredth.
func (s *stricken) metric(t *testing.T, name string) (sum float64) {
	t.Helper()
	_, text := s.status(t, "/metrics")
	if name == "notify_latency_seconds" {
		return slowest(text)
	}
	base, labels, _ := strings.Cut(strings.TrimSuffix(name, "}"), "{")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		end := max(strings.LastIndexByte(line, ' '), 0) // labels may have blanks
		sample, value := line[:end], strings.TrimSpace(line[end:])
		is, of, _ := strings.Cut(strings.TrimSuffix(sample, "}"), "{")
		if is == "oc_scheduler_"+base && strings.Contains(of, labels) {
			v, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += v
		}
	}
	return sum
}

var latencyBucket = regexp.MustCompile(`oc_scheduler_notify_latency_seconds_bucket\{le="([^"]+)"\} (\d+)`)

func slowest(metrics string) (least float64) {
	var bounds, counts []float64
	for _, m := range latencyBucket.FindAllStringSubmatch(metrics, -1) {
		bound, _ := strconv.ParseFloat(m[1], 64) // as the library writes it
		count, _ := strconv.ParseFloat(m[2], 64)
		bounds, counts = append(bounds, bound), append(counts, count)
	}
	for i, n := range counts {
		if all := counts[len(counts)-1]; all > 0 && n < 0.99*all {
			least = bounds[i]
		}
	}
	return least
}
