package jet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// deadBytes is how much is read at a time: letters come with their whole bodies.
	deadBytes = 8 << 20
	// deadLooks is how many places are looked at in vain for one that is asked for.
	deadLooks = 4
)

// Buried is a letter as it is kept.
type Buried struct {
	Seq     uint64 // its place in the stream
	At      time.Time
	Subject string // of the message
	Reason  string
	Detail  string
	Body    []byte
}

// Letters are those that a stream keeps.
type Letters struct {
	js             jetstream.JetStream
	stream, prefix string
}

// LettersOf reads a stream whose subjects are those of the messages after a prefix.
func LettersOf(js jetstream.JetStream, stream, prefix string) Letters {
	return Letters{js, stream, prefix}
}

// Count is how many letters stand of messages with a subject. It fails as the client does.
func (l Letters) Count(ctx context.Context, subject string) (uint64, error) {
	subject = l.prefix + subject
	stream, err := Stream(ctx, l.js, l.stream)
	if err == nil {
		var info *jetstream.StreamInfo
		if info, err = stream.Info(ctx, jetstream.WithSubjectFilter(subject)); err == nil {
			return info.State.Subjects[subject], nil
		}
	}
	return 0, fmt.Errorf("stream %s: %w", l.stream, err)
}

// Before returns some of the letters before a place, 0 for the end, the newest first: up to limit, fewer where they are
// large. next is the place to go on before; 0: there is nothing more. It fails as the client does.
func (l Letters) Before(ctx context.Context, seq uint64, limit int) (letters []Buried, next uint64, err error) {
	stream, err := Stream(ctx, l.js, l.stream)
	if err != nil {
		return nil, 0, fmt.Errorf("stream %s: %w", l.stream, err)
	}
	state := stream.CachedInfo().State
	if seq == 0 || seq > state.LastSeq+1 {
		seq = state.LastSeq + 1
	}
	room, looks := deadBytes, deadLooks*limit
	for ; seq > max(state.FirstSeq, 1) && state.Msgs > 0; seq-- {
		if len(letters) == limit || room <= 0 || looks == 0 {
			return letters, seq, nil
		}
		looks--
		m, err := stream.GetMsg(ctx, seq-1)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue
		}
		if ctx.Err() != nil && len(letters) > 0 {
			return letters, seq, nil // large ones over a slow link
		}
		if err != nil {
			return nil, 0, fmt.Errorf("stream %s: %w", l.stream, err)
		}
		room -= len(m.Data)
		letters = append(letters, Buried{
			Seq: m.Sequence, At: m.Time, Subject: strings.TrimPrefix(m.Subject, l.prefix),
			Reason: m.Header.Get(HeaderReason), Detail: m.Header.Get(HeaderDetail), Body: m.Data,
		})
	}
	return letters, 0, nil
}
