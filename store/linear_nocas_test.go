//go:build nocas

package store_test

import (
	"context"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// With the tag nocas the check of linearizability has to fail: it shows that it can.
const comparesAndSwaps = false

// writer makes every write unconditional.
func writer(js jetstream.JetStream) jetstream.JetStream { return blind{js} }

type blind struct{ jetstream.JetStream }

func (b blind) PublishMsg(ctx context.Context, m *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	m.Header.Del(jetstream.ExpectedLastSubjSeqHeader)
	return b.JetStream.PublishMsg(ctx, m, opts...)
}
