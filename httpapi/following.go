package httpapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"oc-scheduler/httpapi/carry"
	"oc-scheduler/store/history"
	"oc-scheduler/store/kv"
)

const (
	// readAhead is how many transitions are read at once of those that the record has no more.
	readAhead = 256
	// awayLook is the time between two looks while NATS does not answer.
	awayLook = time.Second
)

// stood is a thing as its record has it.
type stood struct {
	whole any
	final bool
	log   history.Log
	risk  int64 // of what is taken, what is at risk: no transition tells
}

// following tells of a thing: how it stands, then of its transitions, until it is over.
type following struct {
	read    func(context.Context) (stood, error)
	past    func(ctx context.Context, after, limit int) (history.Log, error) // what the log has no more
	changed <-chan struct{}                                                  // holds a token when the record may be another

	now   stood
	anew  bool        // how it stands is to be told
	seq   int         // of what was told last
	risk  int64       // likewise
	ahead history.Log // what follows it
	over  error       // after the last event
}

// ended says whether there is nothing more to be told.
func (f *following) ended() bool { return f.now.final && !f.anew && f.seq >= f.now.log.Last() }

// event is the next event, or carry.Done.
func (f *following) event(ctx context.Context) (carry.Frame, error) {
	for f.over == nil {
		switch {
		case f.anew:
			f.anew, f.seq, f.risk = false, f.now.log.Last(), f.now.risk
			return event("state", strconv.Itoa(f.seq), f.now.whole)
		case len(f.ahead) > 0:
			it := f.ahead[0]
			f.ahead, f.seq = f.ahead[1:], it.Seq
			return event("transition", strconv.Itoa(it.Seq), it)
		case f.ended():
			return carry.Frame{}, carry.Done
		}
		if err := f.advance(ctx); ctx.Err() != nil { // the carrier knows why
			return carry.Frame{}, context.Cause(ctx)
		} else if err != nil {
			return f.fail(err)
		}
	}
	return carry.Frame{}, f.over
}

// advance finds what follows, or waits until something may.
func (f *following) advance(ctx context.Context) (err error) {
	last := f.now.log.Last()
	switch {
	case f.seq < last:
		err = f.fetch(ctx)
	case f.seq > last || f.risk != f.now.risk: // that there has never been, or that no transition tells
		f.anew = true
	default:
		select {
		case <-f.changed:
		case <-ctx.Done():
			return ctx.Err()
		}
		var now stood
		if now, err = f.look(ctx); err == nil {
			f.now = now
		}
	}
	return err
}

// fetch finds what follows what was told; where that is not kept any more, how the thing stands is told.
func (f *following) fetch(ctx context.Context) (err error) {
	ahead := f.now.log.After(f.seq)
	if ahead[0].Seq > f.seq+1 {
		ahead, err = patiently(ctx, func(ctx context.Context) (history.Log, error) { return f.past(ctx, f.seq, readAhead) })
	}
	if err == nil && (len(ahead) == 0 || ahead[0].Seq > f.seq+1) {
		f.anew = true
		return nil
	}
	f.ahead = ahead
	return err
}

// look reads the record.
func (f *following) look(ctx context.Context) (stood, error) { return patiently(ctx, f.read) }

// patiently reads also what NATS does not answer at once: who follows is not sent away for it.
func patiently[T any](ctx context.Context, read func(context.Context) (T, error)) (T, error) {
	for {
		v, err := within(ctx, read)
		if away := errors.Is(err, kv.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded); !away {
			return v, err
		}
		if err := kv.Sleep(ctx, awayLook); err != nil {
			return v, err
		}
	}
}

// within reads for as long as a request waits for NATS.
func within[T any](ctx context.Context, read func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, natsWithin)
	defer cancel()
	return read(ctx)
}

// fail tells why nothing more is told.
func (f *following) fail(err error) (carry.Frame, error) {
	problem := cmp.Or(problemOf(err), errInternal)
	f.over = carry.Fault
	if problem.Status == http.StatusNotFound {
		f.over = errGone
	}
	return event(eventError, "", problem)
}
