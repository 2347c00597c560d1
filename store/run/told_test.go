package run_test

import (
	"testing"

	"oc-scheduler/store/execution"
	"oc-scheduler/store/run"
)

// TestWordsOfExecutions: what is stored tells whether it is of use to try again.
func TestWordsOfExecutions(t *testing.T) {
	t.Parallel()
	ref := execution.EventRef{Ledger: "l", Sequence: 3}
	for want, e := range map[run.Word][]execution.Execution{
		run.Refused: {{State: execution.Failed, Event: ref, Reason: "not listed"}},
		run.NodeLost: {
			{State: execution.Failed, Reason: execution.ReasonRemoved},
			{State: execution.Failed, Event: ref, QueuedAt: noon, Reason: execution.ReasonLost + ": it came back without it"},
		},
		"": {
			{State: execution.Failed, Event: ref, QueuedAt: noon, Reason: "exit code 1"},
			{State: execution.Failed, Reason: "order lost: it was removed"}, // no node knows of it
			{State: execution.Cancelled, Event: ref},                        // before it waited
			{State: execution.Failed, Event: ref, QueuedAt: noon, Reason: "node lost its keys"},
		},
	} {
		for _, x := range e {
			if got := run.Told(x).Word; got != want {
				t.Errorf("%+v: %q, want %q", x, got, want)
			}
		}
	}
}
