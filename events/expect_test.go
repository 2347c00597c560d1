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
		if (e.Stream.Name == events.Stream) != (len(e.Durables) == 1) {
			t.Errorf("%s: durables %v", e.Stream.Name, e.Durables)
		}
		for _, want := range e.Durables {
			cons, err := stream.Consumer(t.Context(), want.Durable)
			if err != nil {
				t.Fatal(err)
			}
			if d := jet.ConsumerDifferences(cons.CachedInfo().Config, want); d != nil {
				t.Errorf("%s: %v", want.Durable, d)
			}
		}
	}
}
