package doctor

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
	"oc-scheduler/store/kv"
)

// TestLayoutsOfOtherReleases are told by what is to be done about them.
func TestLayoutsOfOtherReleases(t *testing.T) {
	t.Parallel()
	layout := func(batches bool, v jet.Version) jetstream.StreamConfig {
		return kv.Layout{Bucket: "b", Batches: batches, Version: v}.Stream(1)
	}
	for name, tc := range map[string]struct {
		have, want jetstream.StreamConfig
		level      Level
		what, mend string
	}{
		"as needed":         {layout(true, jet.Version{Layout: 2}), layout(true, jet.Version{Layout: 2}), OK, "", ""},
		"newer, compatible": {layout(true, jet.Version{Layout: 2, Least: 1}), layout(false, jet.Version{}), OK, "", ""},
		"newer":             {layout(true, jet.Version{Layout: 3, Least: 2}), layout(false, jet.Version{}), Fail, "has layout 3, for programs of layout 2 or newer; this one is of layout 1", "run a release of layout 2 or newer"},
		"older":             {layout(false, jet.Version{Layout: 1}), layout(true, jet.Version{Layout: 2}), Warn, "KV_b is of an older release", "start a replica"},
		"not in place":      {layout(true, jet.Version{Layout: 1}), layout(false, jet.Version{Layout: 2}), Fail, "has layout 1 and does not become layout 2 in place: allow_atomic is true, must be false", `nats req '$JS.API.STREAM.UPDATE.KV_b'`},
		"of nobody":         {layout(true, jet.Version{}), layout(false, jet.Version{}), Fail, "KV_b: allow_atomic is true, must be false", `nats req '$JS.API.STREAM.UPDATE.KV_b'`},
	} {
		e := exam{Config: Config{URLs: []string{"nats://127.0.0.1:4222"}}}
		fits := e.compared(expectation{jet.Expected{Stream: tc.want}, true}, &jetstream.StreamInfo{Config: tc.have})
		if fits != (tc.level == OK) || fits != (len(e.findings) == 0) {
			t.Errorf("%s: %+v", name, e.findings)
			continue
		}
		if fits {
			continue
		}
		if f := e.findings[0]; f.Level != tc.level || !strings.Contains(f.What, tc.what) || !strings.Contains(f.Mend, tc.mend) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
