package events_test

import (
	"testing"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/jet"
)

// TestExpectIsWhatOpenBusMakes holds that who verifies the one finds no fault with the other.
func TestExpectIsWhatOpenBusMakes(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	if _, err := events.OpenBus(t.Context(), js, 1); err != nil {
		t.Fatal(err)
	}
	for _, e := range events.Expect(1) {
		stream, err := js.Stream(t.Context(), e.Stream.Name)
		if err != nil {
			t.Fatal(err)
		}
		if d := jet.StreamDifferences(stream.CachedInfo().Config, e.Stream); d != nil {
			t.Errorf("%s: %v", e.Stream.Name, d)
		}
		if (e.Stream.Name == events.Stream) != (e.Durable != nil) {
			t.Errorf("%s: durable %v", e.Stream.Name, e.Durable)
		}
		if e.Durable == nil {
			continue
		}
		cons, err := stream.Consumer(t.Context(), e.Durable.Durable)
		if err != nil {
			t.Fatal(err)
		}
		if d := jet.ConsumerDifferences(cons.CachedInfo().Config, *e.Durable); d != nil {
			t.Errorf("%s: %v", e.Durable.Durable, d)
		}
	}
}
