package kv

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Attempt is a write that needs no reading before: it is made if the newest revision of the key is still
// the given one.
type Attempt struct {
	Revision uint64
	Write    *Write
}

// Swap stores w as the newest message of key if the newest one now has the given revision (0: there
// is none). It fails with ErrConflict, id.ErrInvalid, ErrTooLarge or ErrUnavailable.
func (k *Keys) Swap(ctx context.Context, key Key, revision uint64, w *Write) (uint64, error) {
	subject, err := k.subject(key)
	if err != nil {
		return 0, err
	}
	attempt, cancel := context.WithTimeout(ctx, AttemptTimeout)
	defer cancel()
	ack, err := k.js.PublishMsg(attempt, w.Message(subject, revision))
	k.note(ctx, err)
	switch err := classify(ctx, err); {
	case errors.Is(err, ErrConflict):
		k.conflicts.Inc()
		return 0, err
	case errors.Is(err, ErrTooLarge):
		return 0, fmt.Errorf("%w: %d bytes, while NATS takes messages of at most %d", err, len(w.Data), k.js.Conn().MaxPayload())
	case err != nil:
		return 0, err
	}
	return ack.Sequence, nil
}

// Change reads the newest message of key, asks decide what to make of it and stores that, again
// and again while other writers come in between. decide is given a fresh reading each time; nil
// leaves the key as it is. The revision that then stands is returned. It fails with the errors of
// decide, id.ErrInvalid, ErrTooLarge and ErrUnavailable: also when a write was not acknowledged, another
// followed, and decide then leaves that, for nobody knows whether the first was made.
func (k *Keys) Change(ctx context.Context, key Key, decide func(Message) (*Write, error)) (uint64, error) {
	return k.ChangeFrom(ctx, key, nil, decide)
}

// ChangeFrom is Change with a first attempt on what is known without reading; nil: nothing is.
func (k *Keys) ChangeFrom(ctx context.Context, key Key, first *Attempt, decide func(Message) (*Write, error)) (uint64, error) {
	pause := conflictBackoff()
	var lost *Attempt // the last one without an answer: it may have been made, or will be
	for next := first; ; {
		if next != nil {
			revision, err := k.Swap(ctx, key, next.Revision, next.Write)
			switch {
			case Unknown(err) && ctx.Err() == nil:
				lost = next
			case !errors.Is(err, ErrConflict):
				return revision, err
			}
			if next != first { // which may simply have known too little
				if err := Sleep(ctx, pause.NextBackOff()); err != nil {
					return 0, err
				}
			}
		}
		last, err := k.Newest(ctx, key)
		if err != nil {
			return 0, err
		}
		if lost.stands(last) {
			return last.Revision, nil
		}
		w, err := decide(last)
		if err != nil {
			return last.Revision, err
		}
		if w == nil {
			return last.Revision, lost.overtaken(last)
		}
		next = &Attempt{last.Revision, w.outliving(last)}
	}
}

// stands says whether an attempt that had no answer has become the newest message of its key.
func (a *Attempt) stands(last Message) bool {
	return a != nil && last.Revision > a.Revision && a.Write.made(last)
}

// overtaken is an error when an attempt that had no answer may have been made, and replaced by last since.
func (a *Attempt) overtaken(last Message) error {
	if a == nil || last.Revision == a.Revision {
		return nil
	}
	return fmt.Errorf("%w: a write was not acknowledged, and another has followed", ErrUnavailable)
}

// conflictBackoff spaces writers of one key, so that each of many comes through.
func conflictBackoff() *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{
		InitialInterval: time.Millisecond, MaxInterval: 50 * time.Millisecond,
		Multiplier: 1.5, RandomizationFactor: 0.9,
	}
}

// Sleep waits for d, or fails when ctx ends before: as ErrUnavailable when its time is up.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return classify(ctx, ctx.Err())
	}
}
