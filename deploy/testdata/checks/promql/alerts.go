package main

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"go.yaml.in/yaml/v3"
)

// testFile has what we use of the format of `promtool test rules`.
type testFile struct {
	RuleFiles          []string       `yaml:"rule_files"`
	EvaluationInterval model.Duration `yaml:"evaluation_interval"`
	Tests              []test         `yaml:"tests"`
}

type inputSeries struct{ Series, Values string }

type test struct {
	Name     string         `yaml:"name"`
	Interval model.Duration `yaml:"interval"`
	Input    []inputSeries  `yaml:"input_series"`
	Alerts   []struct {
		At    model.Duration `yaml:"eval_time"`
		Name  string         `yaml:"alertname"`
		Fires []fired        `yaml:"exp_alerts"`
	} `yaml:"alert_rule_test"`
}

// fired is an alert that fires.
type fired struct {
	Labels      map[string]string `yaml:"exp_labels"`
	Annotations map[string]string `yaml:"exp_annotations"`
}

// alerts holds that the rules are some, that they do on the series of the tests what those say, and that the tests have
// each fire, and clear.
func alerts(rulesFile, testsFile string) error {
	groups, errs := rulefmt.ParseFile(rulesFile, false, model.UTF8Validation, grammar, slog.New(slog.DiscardHandler))
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	rules := map[string]rulefmt.Rule{}
	for _, g := range groups.Groups {
		for _, r := range g.Rules {
			rules[r.Alert] = r
		}
	}
	text, err := os.ReadFile(testsFile)
	if err != nil {
		return err
	}
	var file testFile
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		return fmt.Errorf("%s: %w", testsFile, err)
	}
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: time.Minute, LookbackDelta: 5 * time.Minute, Parser: grammar})
	for _, t := range file.Tests {
		err = errors.Join(err, t.try(engine, rules, time.Duration(file.EvaluationInterval)))
	}
	return errors.Join(err, covered(rules, file.Tests))
}

func (t test) try(engine *promql.Engine, rules map[string]rulefmt.Rule, every time.Duration) (err error) {
	stored, err := load(t.Input, time.Duration(t.Interval))
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	for _, want := range t.Alerts {
		fires, e := firingAt(engine, stored, rules[want.Name], time.Duration(want.At), every)
		if e != nil {
			err = errors.Join(err, fmt.Errorf("%s: %s: %w", t.Name, want.Name, e))
		} else if len(fires)+len(want.Fires) > 0 && !reflect.DeepEqual(fires, want.Fires) {
			err = errors.Join(err, fmt.Errorf("%s: %s at %v: fires %v, wanted %v", t.Name, want.Name, want.At, fires, want.Fires))
		}
	}
	return err
}

// covered holds that each rule has to fire in a test, and later not to.
func covered(rules map[string]rulefmt.Rule, tests []test) (err error) {
	fires, clears := map[string]bool{}, map[string]bool{}
	for _, t := range tests {
		for _, want := range t.Alerts {
			fires[want.Name] = fires[want.Name] || len(want.Fires) > 0
			clears[want.Name] = clears[want.Name] || fires[want.Name] && len(want.Fires) == 0
		}
	}
	for name := range rules {
		if !clears[name] {
			err = errors.Join(err, fmt.Errorf("%s: no test has it fire, and clear after that", name))
		}
	}
	return err
}
