package demand

import (
	"testing"

	"oc-scheduler/events"
)

// TestAWorkflowWithoutAGraph is a dead letter: it would fit any window.
func TestAWorkflowWithoutAGraph(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a := f.replica(t, "a")
	f.publish(t, events.CreateResource, events.Envelope{Datatype: "WORKFLOW", Payload: []byte(`{"id":"typo","grahp":{"items":{}}}`)})
	f.publish(t, events.CreateResource, events.Envelope{Datatype: "WORKFLOW", Payload: []byte(`{"id":"empty","graph":{}}`)})
	eventually(t, "the next one is stored", func() bool {
		_, stored := a.store.Workflows.View().Get("empty")
		return stored
	})
	eventually(t, "a dead letter", func() bool {
		stream, err := f.js.Stream(t.Context(), events.DeadStream)
		if err != nil {
			return false
		}
		m, err := stream.GetLastMsgForSubject(t.Context(), "oc.dead."+events.CreateResource)
		return err == nil && m.Header.Get("Oc-Reason") == events.ReasonInvalidWorkflow && m.Header.Get("Oc-Detail") == "$.graph: is missing"
	})
	if _, stored := a.store.Workflows.View().Get("typo"); stored {
		t.Error("it is stored")
	}
}
