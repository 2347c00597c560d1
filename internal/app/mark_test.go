package app_test

import (
	"cmp"
	"testing"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/store/histories"
	"oc-scheduler/streams/orchestrator"
)

// TestStreamsFromBeforeVersions holds that all streams of a release that knew no versions bear them once a replica
// of this one has run.
func TestStreamsFromBeforeVersions(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	js := server.JetStream(t)
	layouts := map[string]string{}
	for _, all := range [][]jet.Expected{store.Expect(1), events.Expect(1), orchestrator.Expect(1), histories.Expect(1)} {
		for _, x := range all {
			layouts[x.Stream.Name] = cmp.Or(x.Stream.Metadata["oc-layout"], "1")
			x.Stream.Metadata = nil
			if _, err := js.CreateStream(t.Context(), x.Stream); err != nil {
				t.Fatal(err)
			}
		}
	}
	r := start(t, on(server))
	until(t, "all streams bear a version", func() bool {
		for name, layout := range layouts {
			stream, err := js.Stream(t.Context(), name)
			if err != nil || stream.CachedInfo().Config.Metadata["oc-layout"] != layout {
				return false
			}
		}
		return true
	})
	r.awaitReady(t)
}
