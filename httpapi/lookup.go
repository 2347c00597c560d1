package httpapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"

	"oc-scheduler/store/kv"
)

const (
	// lookupsPerSecond bounds what clients that ask for things that do not exist cost NATS.
	lookupsPerSecond = 200
	// doubtsPerSecond bounds what clients cost it that show tokens or sessions which do not exist.
	doubtsPerSecond = 50
	// lookupWithin is what an answer waits for a bucket, its turn included, before the view's word counts.
	lookupWithin = time.Second
)

// lookups read past the views what these do not show: it may have been written through another replica
// just now. Equal questions at the same time are one, and there is a bound to the others, so that
// unknown ids stay cheap.
type lookups struct {
	pace   *rate.Limiter
	flight singleflight.Group
}

func newLookups(perSecond int) *lookups {
	return &lookups{pace: rate.NewLimiter(rate.Limit(perSecond), perSecond)}
}

// errUnasked says that the bucket was not asked, for too much else is asked for.
var errUnasked = fmt.Errorf("%w: too much is looked up", kv.ErrNotFound)

// lookup is what read finds in a bucket that a view, which is loaded, does not show. It fails with
// kv.ErrNotFound, also where the bucket does not answer or, as errUnasked, is asked too often, for then the view's
// word counts; and with kv.ErrUndecodable.
func lookup[T any](ctx context.Context, l *lookups, bucket, id string, read func(context.Context, string) (T, error)) (T, error) {
	found, err, _ := l.flight.Do(bucket+"."+id, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupWithin) // others wait, too
		defer cancel()
		if l.pace.Wait(ctx) != nil {
			return nil, errUnasked
		}
		return read(ctx, id)
	})
	switch {
	case err == nil:
		return found.(T), nil
	case errors.Is(err, kv.ErrUndecodable), errors.Is(err, errUnasked):
		return *new(T), err
	}
	return *new(T), kv.ErrNotFound
}
