package app_test

import (
	"testing"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/jet"
	"oc-scheduler/store"
	"oc-scheduler/streams/orchestrator"
)

// TestStreamsFromBeforeVersions holds that all streams of a release that knew no versions bear them once a replica
// of this one has run.
func TestStreamsFromBeforeVersions(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	js := server.JetStream(t)
	var names []string
	for _, all := range [][]jet.Expected{store.Expect(1), events.Expect(1), orchestrator.Expect(1)} {
		for _, x := range all {
			names = append(names, x.Stream.Name)
			if _, err := js.CreateStream(t.Context(), x.Stream); err != nil {
				t.Fatal(err)
			}
		}
	}
	r := start(t, on(server))
	until(t, "all streams bear a version", func() bool {
		for _, name := range names {
			stream, err := js.Stream(t.Context(), name)
			if err != nil || stream.CachedInfo().Config.Metadata["oc-layout"] != "1" {
				return false
			}
		}
		return true
	})
	r.awaitReady(t)
}
