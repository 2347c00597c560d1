package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/streams/nclprotocol"
)

// Where what can't be used is kept, as on the bus.
const (
	deadSubject  = "oc.dead."
	reasonHeader = "Oc-Reason"
	detailHeader = "Oc-Detail"
	maxDetail    = 1024 // bytes
)

// bury keeps a message as a dead letter, once: its id is the message's place in the stream.
func (w *worker) bury(ctx context.Context, l letter) error {
	_, created := w.desk.positions()
	m := nats.NewMsg(deadSubject + nclprotocol.OutSubject(l.nodeID))
	m.Data = l.data
	m.Header.Set(jetstream.MsgIDHeader, fmt.Sprintf("%s-%d-%d", nclprotocol.OutStream, created.UnixNano(), l.position))
	m.Header.Set(reasonHeader, l.reason)
	m.Header.Set(detailHeader, printable(l.detail))
	ack, err := w.js.PublishMsg(ctx, m, jetstream.WithRetryAttempts(0))
	if errors.Is(err, nats.ErrMaxPayload) || isTooLarge(err) { // better a letter without body than none
		m.Data = nil
		ack, err = w.js.PublishMsg(ctx, m, jetstream.WithRetryAttempts(0))
	}
	if err != nil {
		return fmt.Errorf("dead letter: %w", err)
	}
	if !ack.Duplicate {
		w.log.WarnContext(ctx, "event of a node can't be used", "node_id", l.nodeID, "position", l.position,
			"reason", l.reason, "detail", printable(l.detail))
	}
	return nil
}

// isTooLarge says whether a stream takes no message of this size.
func isTooLarge(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamMessageExceedsMaximum
}

// printable makes text fit for a header and a log.
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
