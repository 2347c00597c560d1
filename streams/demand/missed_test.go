package demand

import (
	"testing"
	"time"

	"oc-scheduler/events"
)

// An answer that the clocks of two NATS servers make one of a life that is over is not stored. Who waits
// for it does not wait until the request is repeated; nor does it go back and forth without a pause.
func TestAnAnswerThatComesTooLateIsAskedForAgain(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a := f.replica(t, "a")
	a.Watch([]string{"p"})
	f.eventuallySaid(t, "p", "request")
	f.publishPlanner(t, "p")
	eventually(t, "cached", func() bool { return a.cached("p") })
	kv, err := f.js.KeyValue(t.Context(), "planners")
	if err != nil {
		t.Fatal(err)
	}
	if err := kv.Delete(t.Context(), "p"); err != nil {
		t.Fatal(err)
	}
	f.eventuallySaid(t, "p", "request close request")
	f.offset.Add(int64(2 * time.Second))
	before := events.Arrival{Seq: 1 << 40, Time: time.Now().Add(-time.Minute), Bus: time.Now().Add(-time.Hour)}
	raw := []byte(`{"peer_id":"p","generated_at":"2026-01-01T00:00:00Z","capacities":{}}`)
	if err := a.PlannerPublished(t.Context(), before, raw); err != nil {
		t.Fatal(err)
	}
	f.eventuallySaid(t, "p", "request close request request")
	f.offset.Add(-int64(time.Hour)) // no second passes, however slow this machine is
	if err := a.PlannerPublished(t.Context(), before, raw); err != nil {
		t.Fatal(err)
	}
	a.Watch([]string{"last"}) // what is said of it comes after all that was said before
	f.eventuallySaid(t, "last", "request")
	f.eventuallySaid(t, "p", "request close request request")
	if a.cached("p") {
		t.Error("what came before the end is stored")
	}
}
