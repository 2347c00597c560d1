package main

import (
	"context"
	"time"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// series are a storage of what a test lists. It shows each query all times, for the engine looks at its own only.
type series []storage.Series

// load reads lines as `metric{label="value"}` with values such as `0+1x10`, one each interval from the epoch on.
func load(lines []inputSeries, interval time.Duration) (series, error) {
	var all series
	for _, line := range lines {
		lset, values, err := grammar.ParseSeriesDesc(line.Series + " " + line.Values)
		if err != nil {
			return nil, err
		}
		var samples []chunks.Sample
		for i, v := range values {
			if !v.Omitted {
				samples = append(samples, sample{at: time.Duration(i) * interval, value: v.Value})
			}
		}
		all = append(all, storage.NewListSeries(lset, samples))
	}
	return all, nil
}

// Querier is all there is.
func (s series) Querier(_, _ int64) (storage.Querier, error) { return s, nil }

// Select returns those that match, in the order in which they were listed.
func (s series) Select(_ context.Context, _ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
	found := &set{}
	for _, one := range s {
		if matches(one.Labels(), matchers) {
			found.all = append(found.all, one)
		}
	}
	return found
}

func matches(lset labels.Labels, matchers []*labels.Matcher) bool {
	for _, m := range matchers {
		if !m.Matches(lset.Get(m.Name)) {
			return false
		}
	}
	return true
}

// LabelValues are not asked for.
func (series) LabelValues(context.Context, string, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

// LabelNames are not asked for.
func (series) LabelNames(context.Context, *storage.LabelHints, ...*labels.Matcher) ([]string, annotations.Annotations, error) {
	return nil, nil, nil
}

// Close frees nothing.
func (series) Close() error { return nil }

type set struct {
	all  []storage.Series
	next int
}

func (s *set) Next() bool                        { s.next++; return s.next <= len(s.all) }
func (s *set) At() storage.Series                { return s.all[s.next-1] }
func (s *set) Err() error                        { return nil }
func (s *set) Warnings() annotations.Annotations { return nil }

// sample is a number at a time since the epoch.
type sample struct {
	at    time.Duration
	value float64
}

func (s sample) ST() int64                     { return 0 }
func (s sample) T() int64                      { return s.at.Milliseconds() }
func (s sample) F() float64                    { return s.value }
func (s sample) H() *histogram.Histogram       { return nil }
func (s sample) FH() *histogram.FloatHistogram { return nil }
func (s sample) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (s sample) Copy() chunks.Sample           { return s }
