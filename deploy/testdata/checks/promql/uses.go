package main

import (
	"errors"
	"fmt"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// use is that an expression asks for the series of a metric.
type use struct {
	Expr   string            `json:"expr"`
	Metric string            `json:"metric"`
	Equal  map[string]string `json:"equal"`  // labels that have to be so
	Labels []string          `json:"labels"` // all that are named, by who groups, too
}

// uses parses the expressions; the error is of all that are none.
func uses(expressions []string) (found []use, err error) {
	for _, text := range expressions {
		expr, e := grammar.ParseExpr(text)
		if e != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", text, e))
			continue
		}
		parser.Inspect(expr, func(node parser.Node, above []parser.Node) error {
			if selector, is := node.(*parser.VectorSelector); is {
				found = append(found, usedBy(text, selector, above))
			}
			return nil
		})
	}
	return found, err
}

func usedBy(text string, selector *parser.VectorSelector, above []parser.Node) use {
	u := use{Expr: text, Metric: selector.Name, Equal: map[string]string{}, Labels: []string{}}
	for _, m := range selector.LabelMatchers {
		if m.Name == labels.MetricName {
			continue
		}
		u.Labels = append(u.Labels, m.Name)
		if m.Type == labels.MatchEqual {
			u.Equal[m.Name] = m.Value
		}
	}
	for _, node := range above {
		if group, is := node.(*parser.AggregateExpr); is {
			u.Labels = append(u.Labels, group.Grouping...)
		}
	}
	return u
}
