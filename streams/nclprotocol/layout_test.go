package nclprotocol_test

import (
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/jet"
	"oc-scheduler/streams/nclprotocol"
)

// The layouts are what a server makes of them: made twice, and verified.
func TestLayouts(t *testing.T) {
	t.Parallel()
	js := natstest.Start(t).JetStream(t)
	for _, layout := range []jetstream.StreamConfig{nclprotocol.OutLayout(1), nclprotocol.InLayout(1)} {
		for range 2 {
			if _, err := jet.EnsureStream(t.Context(), js, layout); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, start := range []uint64{0, 1, 17} {
		_ = js.DeleteConsumer(t.Context(), nclprotocol.InStream, nclprotocol.InConsumer("a.b"))
		c, err := js.CreateConsumer(t.Context(), nclprotocol.InStream, nclprotocol.InConsumerLayout("a.b", start))
		if err != nil {
			t.Fatal(err)
		}
		have := c.CachedInfo().Config
		if have.OptStartSeq != max(start, 1) || have.FilterSubject != "oc.compute.a=2Eb.in.msgs" || have.AckPolicy != jetstream.AckNonePolicy {
			t.Errorf("start %d: %+v", start, have)
		}
	}
}
