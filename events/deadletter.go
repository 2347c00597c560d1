package events

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
)

// bury keeps a message as a dead letter. However often it is delivered, it is kept, counted and
// logged once: the letter's id is the message's place on the bus.
func (l *Listener) bury(ctx context.Context, d *delivery, r *Rejection) error {
	letter := jet.Letter{
		Subject: deadSubject + d.msg.Subject, ID: fmt.Sprintf("%d-%d", d.arrival.Bus.UnixNano(), d.arrival.Seq),
		Reason: r.Reason, Detail: r.Detail, Data: d.msg.Data,
	}
	fresh, err := jet.Bury(ctx, l.bus.js, letter, jetstream.WithExpectStream(DeadStream))
	if fresh {
		l.metrics.events.WithLabelValues(d.msg.Subject, outcomeRejected).Inc()
		l.metrics.rejected.WithLabelValues(r.Reason).Inc()
		l.log.WarnContext(ctx, "event rejected", "subject", d.msg.Subject, "reason", r.Reason, "seq", d.arrival.Seq, "detail", jet.Line(r.Detail))
	}
	return err
}

// DeadLetters reads what could not be used, of the bus and of nodes.
func DeadLetters(js jetstream.JetStream) jet.Letters {
	return jet.LettersOf(js, DeadStream, deadSubject)
}
