//go:build long

package app_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"oc-scheduler/internal/fleettest"
	"oc-scheduler/internal/modtest"
)

// promql is Prometheus' own parser and engine, as a program.
func promql(t *testing.T, stdin string, args ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), modtest.Build(t, filepath.Join("..", "..", "deploy", "testdata", "checks"), "./promql"), args...)
	command.Stdin = strings.NewReader(stdin)
	var faults bytes.Buffer
	command.Stderr = &faults
	out, err := command.Output()
	if err != nil {
		t.Errorf("%v\n%s", err, faults.String())
	}
	return out
}

// expression is what Prometheus is asked in the end.
func (t target) expression() string { return strings.ReplaceAll(t.Expr, "$__rate_interval", "5m") }

// TestShippedRulesFire has each rule fire, and clear, on the series that are shipped beside them.
func TestShippedRulesFire(t *testing.T) {
	t.Parallel()
	promql(t, "", "alerts", "../../deploy/alerts.yaml", "../../deploy/alerts_test.yaml")
}

// TestShippedAsksForWhatIsThere holds that a replica has each metric that rules and dashboard ask for, with the
// labels and their values.
func TestShippedAsksForWhatIsThere(t *testing.T) {
	t.Parallel()
	var expressions []string
	for _, group := range shippedRules(t).Groups {
		for _, rule := range group.Rules {
			expressions = append(expressions, rule.Expr)
		}
	}
	for _, p := range shippedDashboard(t).Panels {
		for _, target := range p.Targets {
			expressions = append(expressions, target.expression())
		}
	}
	asked, err := json.Marshal(expressions)
	if err != nil {
		t.Fatal(err)
	}
	var uses []struct {
		Expr, Metric string
		Equal        map[string]string
		Labels       []string
	}
	if err := json.Unmarshal(promql(t, string(asked), "uses"), &uses); err != nil {
		t.Fatal(err)
	}
	if len(uses) < len(expressions) {
		t.Errorf("%d expressions ask for %d metrics", len(expressions), len(uses))
	}
	there := lived(t)
	for _, u := range uses {
		found := false
		for _, sample := range there {
			fits := sample["__name__"] == u.Metric
			for name, value := range u.Equal {
				fits = fits && sample[name] == value
			}
			for _, name := range u.Labels {
				_, has := sample[name]
				fits = fits && (has || name == "instance") // that one is Prometheus' own
			}
			found = found || fits
		}
		if !found {
			t.Errorf("%s: no replica has %s with %v, by %v", u.Expr, u.Metric, u.Equal, u.Labels)
		}
	}
}

var (
	sampleLine  = regexp.MustCompile(`(?m)^([a-z_]+)(?:\{(.*)\})? \S+$`)
	sampleLabel = regexp.MustCompile(`([a-z_]+)="([^"]*)"`)
)

// lived is what a replica shows that has been asked, and has had a stream that has gone.
func lived(t *testing.T) (samples []map[string]string) {
	t.Helper()
	s := strike(t)
	if a := fleettest.Send(t.Context(), http.MethodPut, s.URL()+"/oc/wf-p", strings.NewReader(fleettest.Workflow("wf-p", "p"))); a.Status != http.StatusCreated {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	stream := fleettest.Open(t, fleettest.CheckPath("wf-p"), func(int) string { return s.URL() })
	until(t, "the stream shows something", func() bool { return stream.Version() != "" })
	stream.Close()
	until(t, "it has gone", func() bool { return s.metric(t, "streams_closed_total") > 0 })
	_, text := s.status(t, "/metrics")
	for _, line := range sampleLine.FindAllStringSubmatch(text, -1) {
		sample := map[string]string{"__name__": line[1]}
		for _, label := range sampleLabel.FindAllStringSubmatch(line[2], -1) {
			sample[label[1]] = label[2]
		}
		samples = append(samples, sample)
	}
	return samples
}
