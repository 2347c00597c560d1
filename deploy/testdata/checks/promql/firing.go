package main

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/template"
)

// firingAt evaluates a rule from the epoch on, and says what fires at a time, in the order of its series.
func firingAt(engine *promql.Engine, stored series, rule rulefmt.Rule, at, every time.Duration) (fires []fired, err error) {
	since := map[string]time.Duration{} // when it began to hold, by series
	var now promql.Vector
	for moment := time.Duration(0); moment <= at; moment += every {
		if now, err = evaluate(engine, stored, rule.Expr, moment); err != nil {
			return nil, err
		}
		still := map[string]time.Duration{}
		for _, one := range now {
			began, held := since[one.Metric.String()]
			if !held {
				began = moment
			}
			still[one.Metric.String()] = began
		}
		since = still
	}
	slices.SortFunc(now, func(a, b promql.Sample) int { return strings.Compare(a.Metric.String(), b.Metric.String()) })
	for _, one := range now {
		if at-since[one.Metric.String()] < time.Duration(rule.For) {
			continue
		}
		f, err := tell(rule, one)
		if err != nil {
			return nil, err
		}
		fires = append(fires, f)
	}
	return fires, nil
}

func evaluate(engine *promql.Engine, stored series, expr string, at time.Duration) (promql.Vector, error) {
	q, err := engine.NewInstantQuery(context.Background(), stored, nil, expr, time.Unix(0, 0).Add(at))
	if err != nil {
		return nil, err
	}
	defer q.Close()
	v, err := q.Exec(context.Background()).Vector()
	return slices.Clone(v), err // the engine takes its own back
}

// tell makes an alert of a sample, as Prometheus does.
func tell(rule rulefmt.Rule, one promql.Sample) (fired, error) {
	labels := one.Metric.Map()
	delete(labels, model.MetricNameLabel)
	data := template.AlertTemplateData(maps.Clone(labels), nil, "", one)
	maps.Copy(labels, rule.Labels)
	f := fired{Labels: labels, Annotations: map[string]string{}}
	for name, text := range rule.Annotations {
		text = "{{$labels := .Labels}}{{$value := .Value}}" + text
		told, err := template.NewTemplateExpander(context.Background(), text, name, data, 0, nil, nil, nil).Expand()
		if err != nil {
			return fired{}, err
		}
		f.Annotations[name] = told
	}
	return f, nil
}
