package events

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"
)

const (
	// noisyAttempt is the delivery at which a failing event is worth an operator's attention.
	noisyAttempt = 5
	// complaintsApart is how long after one failure another is worth it, whatever its attempt: that events
	// fail at all has to be seen at once, and a thousand lines a minute say no more than one.
	complaintsApart = time.Minute
)

func (l *Listener) skip(ctx context.Context, d *delivery) {
	level := slog.LevelDebug
	if errors.Is(d.err, errMistaken) && l.mistaken.CompareAndSwap(false, true) {
		level = slog.LevelInfo
	}
	l.log.Log(ctx, level, "event skipped", "subject", d.msg.Subject, "reason", d.err)
	l.metrics.events.WithLabelValues(d.msg.Subject, outcomeSkipped).Inc()
	_ = d.ack() // else it is delivered and skipped once more
}

// settle has a delivery handled and tells the server the outcome.
func (l *Listener) settle(work context.Context, d *delivery) {
	err := d.err
	if err == nil {
		err = l.handle(work, d)
	}
	if rejection, bad := errors.AsType[*Rejection](err); bad {
		err = l.bury(work, d, rejection)
	} else if outcome, good := settled(err); good {
		l.metrics.events.WithLabelValues(d.msg.Subject, outcome).Inc()
		err = nil
	}
	if err != nil {
		l.retry(work, d, err)
		return
	}
	l.answer(work, d.ack)
}

// settled says what becomes of an event that neither is bad nor has to come again.
func settled(err error) (outcome string, good bool) {
	switch {
	case err == nil:
		return outcomeHandled, true
	case errors.Is(err, ErrIgnored):
		return outcomeIgnored, true
	}
	return "", false
}

// handle bounds the time of the handler, not of what is said about it afterwards.
func (l *Listener) handle(ctx context.Context, d *delivery) error {
	ctx, cancel := context.WithTimeout(ctx, workTimeout)
	defer cancel()
	return l.contain(ctx, func() error { return d.event.deliver(ctx, l.handler, d.arrival) })
}

func (l *Listener) retry(ctx context.Context, d *delivery, cause error) {
	level := slog.LevelDebug
	if d.attempt == noisyAttempt || l.complaintDue(time.Now()) {
		level = slog.LevelWarn
	}
	l.log.Log(ctx, level, "event failed, it will be delivered again",
		"subject", d.msg.Subject, "seq", d.arrival.Seq, "attempt", d.attempt, "error", cause)
	l.metrics.events.WithLabelValues(d.msg.Subject, outcomeRetried).Inc()
	delay := retryDelay(d.attempt, cause)
	l.answer(ctx, func() error { return d.nak(ctx, delay) })
}

// complaintDue is true once in complaintsApart.
func (l *Listener) complaintDue(now time.Time) bool {
	last := l.complained.Load()
	return now.Sub(time.Unix(0, last)) >= complaintsApart && l.complained.CompareAndSwap(last, now.UnixNano())
}

// answer tells the server an outcome, also over a short outage; an answer that is lost costs a
// redelivery after its AckWait.
func (l *Listener) answer(ctx context.Context, tell func() error) {
	if tell() == nil { // as nearly always: then nothing is made ready for waiting
		return
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(l.bus.ackWait / 2)
	for {
		select {
		case <-tick.C:
			if tell() == nil {
				return
			}
		case <-ctx.Done():
			return
		case <-deadline:
			return
		}
	}
}

// contain turns a panic into a Rejection: the same message would only raise it again.
func (l *Listener) contain(ctx context.Context, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			l.log.ErrorContext(ctx, "panic while handling an event", "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
			err = Reject(ReasonPanic, "%v", v)
		}
	}()
	return f()
}
