package kv

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/synadia-io/orbit.go/jetstreamext"
)

// commitTimeout bounds a commit, however often it has to be tried.
const commitTimeout = 3 * AttemptTimeout

// batchesAtOnce is how many batches one replica has under way: a stream takes 50, of all replicas together
// (nats-server, streamDefaultMaxAtomicBatchInflightPerStream), and whoever is refused has to wait longer than one
// who stands in line.
const batchesAtOnce = 10

// Commit stores what was set, and returns the revision of the last key that was. It fails with
// ErrConflict, with ErrUnavailable, after which the outcome may be unknown, and with ErrTooLarge or
// ErrUnstorable, which no other try mends.
func (b *Batch) Commit(ctx context.Context) (revision uint64, err error) {
	if len(b.changes) == 0 {
		return 0, fmt.Errorf("%w: a batch without changes", ErrUnstorable)
	}
	ctx, cancel := context.WithTimeout(ctx, commitTimeout)
	defer cancel()
	pause := conflictBackoff()
	for lacked := false; ; {
		revision, err := b.publish(ctx, lacked)
		b.stream.note(ctx, err)
		lacked = refusedForNow(err)
		busy := lacked || hasCode(err, jetstream.JSErrCodeStreamWrongLastSequenceConstant)
		switch err = classify(ctx, err); {
		case err == nil:
			return revision, nil
		case ctx.Err() != nil:
			return 0, err
		case Unknown(err):
			if revision, err := b.settle(ctx); revision > 0 || err != nil {
				return revision, err
			}
		case !busy: // a key whose last write is still under way in the cluster may be as it was read
			if errors.Is(err, ErrConflict) {
				b.stream.conflicts.Inc()
			}
			return 0, err
		}
		if err := Sleep(ctx, pause.NextBackOff()); err != nil {
			return 0, err
		}
	}
}

// settle finds out what became of a commit that was not acknowledged: all of it stands if its last key does.
// Where that is as it was read, revision is 0, and the batch may be published again; where another has
// followed, nobody knows.
func (b *Batch) settle(ctx context.Context) (revision uint64, err error) {
	last := b.changes[len(b.changes)-1]
	m, err := last.keys.Newest(ctx, last.key)
	if err != nil {
		return 0, err
	}
	if last.stands(m) {
		return m.Revision, nil
	}
	return 0, last.overtaken(m)
}

// publish publishes the messages. The last one is answered; of the others, what is refused or lost fails it, without a reason.
// Where that has happened the first one is asked about, too, which tells what would be in vain.
func (b *Batch) publish(ctx context.Context, ask bool) (revision uint64, err error) {
	if len(b.changes) > 1 {
		select {
		case b.stream.batches <- struct{}{}:
			defer func() { <-b.stream.batches }()
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	ctx, cancel := context.WithTimeout(ctx, AttemptTimeout)
	defer cancel()
	messages := make([]*nats.Msg, len(b.changes)) // anew each time: publishing changes them
	for i, c := range b.changes {
		messages[i] = c.Write.Message(c.subject, c.Revision)
	}
	if len(messages) == 1 { // a batch costs more
		ack, err := b.stream.js.PublishMsg(ctx, messages[0])
		if err != nil {
			return 0, err
		}
		return ack.Sequence, nil
	}
	ack, err := jetstreamext.PublishMsgBatch(ctx, b.stream.js, messages,
		jetstreamext.BatchFlowControl{AckFirst: ask, AckTimeout: AttemptTimeout})
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}
