package execution_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"oc-scheduler/store/execution"
)

func eventOf(sequence uint64, state execution.State) execution.Event {
	code := 3
	return execution.Event{
		EventRef:    execution.EventRef{Ledger: "l", Sequence: sequence},
		ExecutionID: "x", NodeID: "n", State: state, At: time.Unix(int64(sequence), 0), ExitCode: &code, Reason: "why",
	}
}

func TestExecutionsGoForward(t *testing.T) {
	t.Parallel()
	var e execution.Execution
	for i, step := range []struct {
		event   execution.Event
		changed bool
	}{
		{eventOf(1, execution.Queued), true},
		{eventOf(1, execution.Running), false}, // the same event
		{eventOf(2, "exploded"), false},
		{eventOf(3, execution.Running), true},
		{eventOf(4, execution.Starting), false},
		{eventOf(5, execution.Failed), true},
		{eventOf(6, execution.Completed), false}, // it has ended
	} {
		next, changed := e.Apply(step.event)
		if changed != step.changed {
			t.Errorf("step %d: %v after %v", i, step.event.State, e.State)
		}
		e = next
	}
	if e.State != execution.Failed || *e.ExitCode != 3 || e.Reason != "why" ||
		!e.QueuedAt.Equal(time.Unix(1, 0)) || !e.StartedAt.Equal(time.Unix(3, 0)) || !e.EndedAt.Equal(time.Unix(5, 0)) {
		t.Errorf("%+v", e)
	}
	foreign := eventOf(9, execution.Cancelled)
	foreign.NodeID = "m"
	if _, changed := (execution.Execution{ExecutionID: "x", NodeID: "n", State: execution.Running}).Apply(foreign); changed {
		t.Error("another node's event was applied")
	}
}

// TestEventsTwiceChangeNothing: a ledger that is sent again, wholly or in part, leaves what it has left before.
func TestEventsTwiceChangeNothing(t *testing.T) {
	t.Parallel()
	states := []execution.State{
		execution.Ordered, execution.Queued, execution.Starting, execution.Running,
		execution.Completed, execution.Failed, execution.Cancelled,
	}
	rapid.Check(t, func(t *rapid.T) {
		ledger := rapid.SliceOfN(rapid.SampledFrom(states), 1, 12).Draw(t, "ledger")
		apply := func(e execution.Execution, from, to int) execution.Execution {
			for i := from; i < to; i++ {
				e, _ = e.Apply(eventOf(uint64(i+1), ledger[i]))
			}
			return e
		}
		once := apply(execution.Execution{}, 0, len(ledger))
		cut := rapid.IntRange(0, len(ledger)).Draw(t, "cut")
		again := rapid.IntRange(0, cut).Draw(t, "again from")
		twice := apply(apply(execution.Execution{}, 0, cut), again, len(ledger))
		if once.State != twice.State || once.Event != twice.Event || !once.EndedAt.Equal(twice.EndedAt) || !once.StartedAt.Equal(twice.StartedAt) {
			t.Fatalf("%+v, sent again %+v", once, twice)
		}
	})
}

// TestWhenItWasOver is known by NATS's clock, whatever the node's says, and however late its last word comes.
func TestWhenItWasOver(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	at := func(seconds float64) time.Time { return noon.Add(time.Duration(seconds * float64(time.Second))) }
	for name, c := range map[string]struct {
		ahead                float64 // of the node's clock
		queued, running, end float64 // how late each is stored
		stepped              float64 // by which the node's clock is set before the end
		want                 float64 // it is queued at 1, running at 2, over at 10
	}{
		"told at once":              {0, 0.25, 0.25, 0.25, 0, 10.25},
		"told late":                 {0, 0.5, 0.25, 100, 0, 10.25},
		"the clock is ahead":        {3600, 0.25, 0.5, 100, 0, 10.25},
		"the clock is behind":       {-3600, 0.25, 0.5, 100, 0, 10.25},
		"all is told late":          {3600, 300, 299, 291, 0, 301},
		"the clock is set forward":  {0, 0.25, 0.25, 5, 3600, 15},
		"the clock is set far back": {0, 0.25, 0.25, 5, -3600, 15},
	} {
		e := execution.Execution{ExecutionID: "x", NodeID: "n", State: execution.Ordered, OrderedAt: at(0.5)}
		for i, v := range []struct {
			state             execution.State
			happens, late, by float64
		}{{execution.Queued, 1, c.queued, 0}, {execution.Running, 2, c.running, 0}, {execution.Completed, 10, c.end, c.stepped}} {
			event := eventOf(uint64(i+1), v.state)
			event.At, event.StoredAt = at(v.happens+c.ahead+v.by), at(v.happens+v.late)
			e, _ = e.Apply(event)
		}
		if !e.OverAt.Equal(at(c.want)) {
			t.Errorf("%s: over at %v, want %v", name, e.OverAt, at(c.want))
		}
	}
}
