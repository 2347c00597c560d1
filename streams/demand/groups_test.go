package demand

import (
	"slices"
	"testing"
	"time"

	"oc-scheduler/events"
)

// TestAWorkflowBelongsToTheGroupsOfItsEnvelope, by the newest one that brought it, and not by its own word.
func TestAWorkflowBelongsToTheGroupsOfItsEnvelope(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a := f.replica(t, "a")
	raw := []byte(`{"id":"w","groups":["chosen"],"graph":{"items":{}}}`)
	for i, c := range []struct{ of, want []string }{{[]string{"g", "f", "g"}, []string{"f", "g"}}, {[]string{}, nil}, {[]string{"h"}, []string{"h"}}} {
		at := events.Arrival{Seq: 1<<40 + uint64(i), Time: time.Now(), Bus: time.Now().Add(-time.Hour), Groups: c.of}
		if err := a.WorkflowCreated(t.Context(), at, raw); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the view shows it", func() bool {
			e, shown := a.store.Workflows.View().Get("w")
			return shown && slices.Equal(e.Value.Groups(), c.want)
		})
	}
}
