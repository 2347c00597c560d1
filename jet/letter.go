package jet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Headers of a dead letter.
const (
	HeaderReason = "Oc-Reason"
	HeaderDetail = "Oc-Detail"
)

// Letter is a message that cannot be used, kept for people.
type Letter struct {
	Subject string
	ID      string // by which a copy is known
	Reason  string
	Detail  string // what went wrong; of any length, whoever wrote it
	Data    []byte
}

// Bury keeps a letter: without its body when that is too large, for that is better than none. Fresh says that it
// is no copy of one that is kept. It fails as the client does.
func Bury(ctx context.Context, js jetstream.JetStream, l Letter, options ...jetstream.PublishOpt) (fresh bool, err error) {
	m := nats.NewMsg(l.Subject)
	m.Data = l.Data
	m.Header.Set(jetstream.MsgIDHeader, l.ID)
	m.Header.Set(HeaderReason, Line(l.Reason))
	m.Header.Set(HeaderDetail, Line(l.Detail))
	ack, err := js.PublishMsg(ctx, m, options...)
	if errors.Is(err, nats.ErrMaxPayload) || errors.Is(err, errTooLarge) { // an operator's limit
		m.Header.Set(HeaderDetail, Line(fmt.Sprintf("body of %d bytes dropped: %v; %s", len(m.Data), err, l.Detail)))
		m.Data = nil
		ack, err = js.PublishMsg(ctx, m, options...)
	}
	if err != nil {
		return false, fmt.Errorf("dead letter: %w", err)
	}
	return !ack.Duplicate, nil
}

// maxLine is the limit of what a header should hold, in bytes.
const maxLine = 1024

// Line makes text fit for a header and a log: bounded, on one line, nothing that moves a terminal.
func Line(s string) string {
	if len(s) > maxLine {
		s = strings.ToValidUTF8(s[:maxLine], "") + "…"
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s))
}
