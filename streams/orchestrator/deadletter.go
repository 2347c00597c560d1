package orchestrator

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
	"oc-scheduler/streams/nclprotocol"
)

// deadSubject begins the subjects of what can't be used, as on the bus.
const deadSubject = "oc.dead."

// bury keeps a message as a dead letter, once: its id is the message's place in the stream.
func (w *worker) bury(ctx context.Context, l letter) error {
	_, created := w.desk.positions()
	fresh, err := jet.Bury(ctx, w.js, jet.Letter{
		Subject: deadSubject + nclprotocol.OutSubject(l.nodeID), ID: fmt.Sprintf("%s-%d-%d", nclprotocol.OutStream, created.UnixNano(), l.position),
		Reason: l.reason, Detail: l.detail, Data: l.data,
	}, jetstream.WithRetryAttempts(0))
	if fresh {
		w.log.WarnContext(ctx, "event of a node can't be used", "node_id", l.nodeID, "position", l.position,
			"reason", l.reason, "detail", jet.Line(l.detail))
	}
	return err
}
