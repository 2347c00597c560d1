package events

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const maxDetail = 1024 // bytes; the limit of what a header should hold, not of what went wrong

// bury keeps a message as a dead letter. However often it is delivered, it is kept, counted and
// logged once: the letter's id is the message's place on the bus.
func (l *Listener) bury(ctx context.Context, d *delivery, r *Rejection) error {
	letter := nats.NewMsg(deadSubject + d.msg.Subject)
	letter.Data = d.msg.Data
	letter.Header.Set(jetstream.MsgIDHeader, fmt.Sprintf("%d-%d", d.arrival.Bus.UnixNano(), d.arrival.Seq))
	letter.Header.Set(HeaderReason, printable(r.Reason))
	letter.Header.Set(HeaderDetail, printable(r.Detail))
	ack, err := l.bus.js.PublishMsg(ctx, letter, jetstream.WithExpectStream(DeadStream))
	if errors.Is(err, nats.ErrMaxPayload) { // an operator's limit: better a letter without body than none
		letter.Header.Set(HeaderDetail, printable(fmt.Sprintf("body of %d bytes dropped: %v; %s", len(letter.Data), err, r.Detail)))
		letter.Data = nil
		ack, err = l.bus.js.PublishMsg(ctx, letter, jetstream.WithExpectStream(DeadStream))
	}
	if err != nil {
		return fmt.Errorf("dead letter: %w", err)
	}
	if !ack.Duplicate {
		l.metrics.events.WithLabelValues(d.msg.Subject, outcomeRejected).Inc()
		l.metrics.rejected.WithLabelValues(r.Reason).Inc()
		l.log.WarnContext(ctx, "event rejected", "subject", d.msg.Subject, "reason", r.Reason, "seq", d.arrival.Seq, "detail", printable(r.Detail))
	}
	return nil
}

// printable makes text fit for a header and a log: bounded, on one line, nothing that moves a terminal.
func printable(s string) string {
	if len(s) > maxDetail {
		s = strings.ToValidUTF8(s[:maxDetail], "") + "…"
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s))
}
