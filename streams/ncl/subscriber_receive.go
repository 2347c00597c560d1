package ncl

import (
	"context"
	"fmt"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"

	"oc-scheduler/streams/envelope"
)

// ordered hands on the messages of one reading.
type ordered struct{ SubscriberConfig }

// receive handles a message. It fails with ErrBehind when it is processed already, and when ctx ends before the
// message was handled.
func (o *ordered) receive(ctx context.Context, m *nats.Msg, sequence uint64) error {
	if last := o.Tracker.LastSequence(); sequence <= last {
		return fmt.Errorf("%w: message %d, though those up to %d are processed", ErrBehind, sequence, last)
	}
	if err := o.process(ctx, m, sequence); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		o.Logger.ErrorContext(ctx, "message given up", "sequence", sequence, "error", err)
		o.OnSkip(err)
	}
	o.Tracker.Processed(sequence)
	return nil
}

// process returns the error of the last attempt.
func (o *ordered) process(ctx context.Context, m *nats.Msg, sequence uint64) error {
	message, err := decode(o.Codec, m.Data)
	if err != nil {
		return err
	}
	message.Sequence = sequence
	pauses := o.Backoff()
	for attempt := 1; ; attempt++ {
		err := guarded(func() error { return o.handle(ctx, message) })
		if err == nil || IsPermanent(err) {
			return err
		}
		pause := pauses.NextBackOff()
		if pause == backoff.Stop {
			return err
		}
		o.Logger.WarnContext(ctx, "handling failed", "sequence", sequence, "attempt", attempt, "error", err)
		select {
		case <-o.Clock.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (o *ordered) handle(ctx context.Context, m *envelope.Message) error {
	if !o.Handler.ShouldProcess(ctx, m) {
		return nil
	}
	return o.Handler.HandleMessage(ctx, m)
}
