package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	opHeader = "KV-Operation"
	opDelete = "DEL"
	opPurge  = "PURGE"
	// reasonHeader says why this program wrote a marker, where others may have a reason of their own.
	reasonHeader = "Oc-Reason"
	// endHeader names the end of a planner's life that a marker stands for.
	endHeader = "Oc-End"
)

// write is what is to become the newest message of a key.
type write struct {
	data   []byte
	ttl    time.Duration // 0: for ever
	marker bool          // a removal: no data
	reason string        // of a removal, kept in its headers unless empty
	end    string        // that a marker stands for, kept in its headers unless empty
	source Source        // kept in the headers unless zero
	past   past          // of a planner, or of what follows its marker; kept in the headers unless zero

	on   uint64 // the revision that swap has tried to replace
	lost bool   // without an answer: the write may have been made, or will be
}

// remove is the write of a marker that stays for ttl; 0: for ever.
func remove(ttl time.Duration) *write { return &write{marker: true, ttl: ttl} }

func (w *write) message(subject string, revision uint64) *nats.Msg {
	m := nats.NewMsg(subject)
	m.Data = w.data
	m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(revision, 10))
	if w.ttl > 0 {
		m.Header.Set(jetstream.MsgTTLHeader, roundUp(w.ttl).String())
	}
	if w.marker {
		m.Header.Set(opHeader, opPurge)
		m.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	}
	if w.reason != "" {
		m.Header.Set(reasonHeader, w.reason)
	}
	if w.end != "" {
		m.Header.Set(endHeader, w.end)
	}
	w.past.put(m.Header)
	w.source.put(m.Header)
	return m
}

// outlive lets a marker stand for at least as long as the value would have that it removes.
func (w *write) outlive(last message) {
	ttl, err := time.ParseDuration(last.Header.Get(jetstream.MsgTTLHeader))
	if err == nil && last.live() && w.marker && w.ttl > 0 {
		w.ttl = max(w.ttl, ttl)
	}
}

// made says whether m, found after a try whose outcome was unknown, is what this write would store.
func (w *write) made(m message) bool {
	return w.marker == !m.live() && bytes.Equal(w.data, m.Data) && w.source.equal(sourceOf(m.Header))
}

// overtaken says whether w may have been made, and something else after it: last, which is not w.
func (w *write) overtaken(last message) bool { return w != nil && w.lost && last.Revision != w.on }

// swap stores w as the newest message of key if the newest one now has the given revision (0: there
// is none). It fails with errConflict, id.ErrInvalid, ErrTooLarge or ErrUnavailable.
func (b *bucket) swap(ctx context.Context, key string, revision uint64, w *write) (uint64, error) {
	subject, err := b.subject(key)
	if err != nil {
		return 0, err
	}
	attempt, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	ack, err := b.js.PublishMsg(attempt, w.message(subject, revision))
	if ctx.Err() == nil {
		b.refusal.Note(b.js.Conn(), err)
	}
	err = classify(ctx, err)
	if w.on, w.lost = revision, outcomeUnknown(err); err != nil {
		if errors.Is(err, errConflict) {
			b.conflicts.Inc()
		}
		if errors.Is(err, ErrTooLarge) {
			err = fmt.Errorf("%w: %d bytes, while NATS takes messages of at most %d", err, len(w.data), b.js.Conn().MaxPayload())
		}
		return 0, err
	}
	return ack.Sequence, nil
}

// change reads the newest message of key, asks decide what to make of it and stores that, again
// and again while other writers come in between. decide is given a fresh reading each time; nil
// leaves the key as it is. The revision that then stands is returned. It fails with the errors of
// decide, id.ErrInvalid, ErrTooLarge and ErrUnavailable.
func (b *bucket) change(ctx context.Context, key string, decide func(message) (*write, error)) (uint64, error) {
	pause := conflictBackoff()
	var lost *write
	for {
		last, err := b.newest(ctx, key)
		if err != nil {
			return 0, err
		}
		if lost != nil && last.Revision > lost.on && lost.made(last) {
			return last.Revision, nil
		}
		w, err := decide(last)
		if err != nil || w == nil {
			return last.Revision, err
		}
		w.outlive(last)
		revision, err := b.swap(ctx, key, last.Revision, w)
		switch {
		case err == nil:
			return revision, nil
		case w.lost && ctx.Err() == nil:
			lost = w
		case !errors.Is(err, errConflict):
			return 0, err
		}
		if err := sleep(ctx, pause.NextBackOff()); err != nil {
			return 0, err
		}
	}
}

// conflictBackoff spaces writers of one key, so that each of many comes through.
func conflictBackoff() *backoff.ExponentialBackOff {
	return &backoff.ExponentialBackOff{
		InitialInterval: time.Millisecond, MaxInterval: 50 * time.Millisecond,
		Multiplier: 1.5, RandomizationFactor: 0.9,
	}
}

// sleep waits for d, or fails when ctx ends before: as ErrUnavailable when its time is up.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return classify(ctx, ctx.Err())
	}
}
