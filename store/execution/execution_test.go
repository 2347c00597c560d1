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
