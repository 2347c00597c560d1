package nclprotocol_test

import (
	"errors"
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
	for subject, most := range map[string]int{nclprotocol.OutSubject("n"): nclprotocol.MaxMessage, nclprotocol.InSubject("n"): nclprotocol.MaxMessage} {
		if _, err := js.Publish(t.Context(), subject, make([]byte, most)); err != nil {
			t.Errorf("%s: the longest frame: %v", subject, err)
		}
		var api *jetstream.APIError
		if _, err := js.Publish(t.Context(), subject, make([]byte, most+8<<10)); !errors.As(err, &api) || api.ErrorCode != jetstream.JSErrCodeStreamMessageExceedsMaximum {
			t.Errorf("%s: a longer one: %v", subject, err)
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
