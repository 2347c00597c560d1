package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/time/rate"

	"oc-scheduler/jet"
	"oc-scheduler/streams/nclprotocol"
)

// deadStream keeps what can't be used, and deadSubject begins its subjects, as on the bus.
const (
	deadStream  = "OC_BUS_DEAD"
	deadSubject = "oc.dead."
)

const (
	// lettersOfNode dead letters of a node are kept at once, and then lettersPerSecond: people read them, and a node that
	// makes thousands fills the disk with the same over and over.
	lettersOfNode, lettersPerSecond = 500, 1
)

// bury keeps a message as a dead letter, once: its id is the message's place in the stream. Of a node of which more are
// there than anybody reads it is only counted.
func (w *worker) bury(ctx context.Context, l *line, dead letter) error {
	if err := w.allowance(ctx, l); err != nil {
		return err
	}
	turn := l.letters.Reserve()
	if turn.Delay() > 0 {
		turn.Cancel()
		w.quiet.letters.Do(func() {
			w.log.WarnContext(ctx, "a node sends more that can't be used than is kept", "node_id", l.nodeID, "reason", dead.reason)
		})
		return nil
	}
	_, created := w.desk.positions()
	fresh, err := jet.Bury(ctx, w.js, jet.Letter{
		Subject: deadSubject + nclprotocol.OutSubject(l.nodeID), ID: fmt.Sprintf("%s-%d-%d", nclprotocol.OutStream, created.UnixNano(), dead.position),
		Reason: dead.reason, Detail: dead.detail, Data: dead.data,
	}, jetstream.WithRetryAttempts(0))
	if !fresh {
		turn.Cancel()
		return err
	}
	w.log.WarnContext(ctx, "event of a node can't be used", "node_id", l.nodeID, "position", dead.position,
		"reason", dead.reason, "detail", jet.Line(dead.detail))
	return nil
}

// allowance begins to count the letters of a line, with those that stand: whoever takes over a node goes on where the one
// before was.
func (w *worker) allowance(ctx context.Context, l *line) error {
	if l.letters != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, createTimeout)
	defer cancel()
	stand, err := jet.LettersOf(w.js, deadStream, deadSubject).Count(ctx, nclprotocol.OutSubject(l.nodeID))
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	l.letters = rate.NewLimiter(lettersPerSecond, lettersOfNode)
	l.letters.AllowN(time.Now(), int(min(stand, lettersOfNode)))
	return nil
}
