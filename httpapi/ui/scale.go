package ui

import (
	"math"
	"time"

	"oc-scheduler/store/planner"
)

// Width is how wide a timeline is, in its own pixels; the browser stretches it.
const Width = 1000

// Stretch is the time that a timeline shows, half-open.
type Stretch struct{ From, To time.Time }

func (s Stretch) scale() scale { return scale{s.From.UnixNano(), s.To.UnixNano()} }

// scale lays a stretch of time on pixels.
type scale struct{ from, to int64 } // Unix nanoseconds

// x is where a moment is, kept within the timeline, to a hundredth of a pixel.
func (s scale) x(t int64) float64 {
	return math.Round(100*Width*float64(min(max(t, s.from), s.to)-s.from)/float64(s.to-s.from)) / 100
}

// at is when a pixel begins.
func (s scale) at(pixel int) int64 {
	return s.from + int64(float64(s.to-s.from)*float64(pixel)/Width)
}

// Box is a part of a timeline from top to bottom, in pixels.
type Box struct{ X, W float64 }

// shown is where an interval is, a pixel wide at least; nil when none of it shows.
func (s scale) shown(i planner.Interval) *Box {
	if i.End <= s.from || i.Start >= s.to || i.End <= i.Start {
		return nil
	}
	x := s.x(i.Start)
	return &Box{X: x, W: max(math.Round(100*(s.x(i.End)-x))/100, 1)}
}

// Tick is a mark on the axis of time.
type Tick struct {
	Percent float64 // of the width
	At      time.Time
	Form    string // how much of the time tells it from its neighbours: "second", "hour" or "day"
}

// Text is the mark in UTC.
func (t Tick) Text() string { return t.At.Format(tickTexts[t.Form]) }

var tickTexts = map[string]string{"second": "15:04:05", "hour": "15:04", "day": "2 Jan"}

// ticks marks the axis at round times in UTC, twelve times at most.
func (s scale) ticks() []Tick {
	step := tickSteps[len(tickSteps)-1]
	for _, d := range tickSteps {
		if s.to-s.from <= 12*int64(d) {
			step = d
			break
		}
	}
	var all []Tick
	for t := time.Unix(0, s.from).UTC().Truncate(step); ; t = t.Add(step) {
		switch n := t.UnixNano(); {
		case n >= s.to:
			return all
		case n > s.from:
			all = append(all, Tick{Percent: s.x(n) / (Width / 100), At: t, Form: tickForm(step)})
		}
	}
}

func tickForm(step time.Duration) string {
	switch {
	case step < time.Minute:
		return "second"
	case step < 24*time.Hour:
		return "hour"
	}
	return "day"
}

var tickSteps = []time.Duration{
	time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 7 * 24 * time.Hour, 31 * 24 * time.Hour,
}
