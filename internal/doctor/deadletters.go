package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/events"
)

const (
	recent       = 24 * time.Hour // dead letters of which an operator should know
	lettersRead  = 200            // of the newest
	lettersBytes = 32 << 20       // they come with their bodies
)

// deadLetters counts what could not be used, and says why.
func (e *exam) deadLetters(ctx context.Context) {
	info := e.streams[events.DeadStream]
	switch {
	case info == nil:
		e.skipped = append(e.skipped, e.check)
		return
	case info.State.Msgs == 0:
		e.ok("none")
		return
	}
	text := fmt.Sprintf("%s, the last %v ago", counted(int(info.State.Msgs), "message"), e.Now().Sub(info.State.LastTime).Round(time.Second))
	if e.Now().Sub(info.State.LastTime) > recent {
		e.ok("%s", text)
		return
	}
	reasons, read, err := e.reasons(ctx, info)
	if err != nil {
		reasons = fmt.Sprintf("reasons cannot be read: %v", err)
	}
	e.warn(fmt.Sprintf("%s; of the newest %d: %s", text, read, reasons),
		fmt.Sprintf("`%s` shows each with its reason (Oc-Reason, Oc-Detail); mend whoever sent it. They end by themselves after 30 days", e.nats("stream view", events.DeadStream)))
}

// reasons counts the reasons of the newest letters.
func (e *exam) reasons(ctx context.Context, info *jetstream.StreamInfo) (text string, read int, err error) {
	stream, err := e.js.Stream(ctx, info.Config.Name)
	if err != nil {
		return "", 0, err
	}
	count, bytes := map[string]int{}, 0
	for seq := info.State.LastSeq; seq >= info.State.FirstSeq && seq > 0 && read < lettersRead && bytes < lettersBytes; seq-- {
		letter, err := stream.GetMsg(ctx, seq)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if err != nil {
			return "", read, err
		}
		count[letter.Header.Get(events.HeaderReason)]++
		read, bytes = read+1, bytes+len(letter.Data)
	}
	var list []string
	for _, reason := range slices.Sorted(maps.Keys(count)) {
		list = append(list, fmt.Sprintf("%d %s", count[reason], reason))
	}
	return strings.Join(list, ", "), read, nil
}
