package app_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// rules are the alert rules that are shipped.
type rules struct {
	Groups []struct {
		Name  string
		Rules []struct {
			Alert       string
			Expr        string
			For         string
			Labels      map[string]string
			Annotations map[string]string
		}
	}
}

var ruleMetric = regexp.MustCompile(`oc_scheduler_([a-z_]+(?:\{[^}]*\})?)`)

func shippedRules(t *testing.T) (shipped rules) {
	t.Helper()
	decoder := yaml.NewDecoder(strings.NewReader(read(t, "../../deploy/alerts.yaml")))
	decoder.KnownFields(true)
	if err := decoder.Decode(&shipped); err != nil {
		t.Fatal(err)
	}
	return shipped
}

// TestShippedRules holds that they alert on what README says to watch, on all of it, with its limits, and that each says
// what is wrong and how urgent that is.
func TestShippedRules(t *testing.T) {
	t.Parallel()
	shipped := shippedRules(t)
	told, found := alertsOfREADME(t), map[string]bool{}
	for _, group := range shipped.Groups {
		for _, rule := range group.Rules {
			if rule.Alert == "" || rule.Annotations["summary"] == "" || rule.Labels["severity"] == "" {
				t.Errorf("%+v", rule)
			}
			for _, name := range ruleMetric.FindAllStringSubmatch(rule.Expr, -1) {
				metric := strings.TrimSuffix(name[1], "_bucket")
				found[metric] = true
				limit, watched := told[metric]
				if !watched {
					t.Errorf("%s: README does not tell of %s", rule.Alert, metric)
				}
				if limit > 0 && !strings.HasSuffix(rule.Expr, fmt.Sprintf("> %v", limit)) {
					t.Errorf("%s: the limit of README is %v", rule.Alert, limit)
				}
			}
		}
	}
	for _, metric := range slices.Sorted(maps.Keys(told)) {
		if !found[metric] {
			t.Errorf("nothing alerts on %s", metric)
		}
	}
}
