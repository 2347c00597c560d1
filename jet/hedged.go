package jet

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/nats-io/nats.go"
)

// firstHedge is how long a request may stand unanswered before it is made again; then half as long again, and so on.
const firstHedge, hedgeGrowth = 150 * time.Millisecond, 1.5

// Hedged makes a request, and makes it again beside those that stand unanswered: it returns the first
// answer, be it an error that is not of time alone, or ctx's error. A cluster that elects a leader
// loses requests without a word: one that is made once would cost all the time that it is given, also
// when the leader comes a moment later. All calls of ask have returned when it returns; two of them
// at the same time must do no harm.
//
// See Dean and Barroso, The Tail at Scale (CACM 56, 2013): hedged requests.
func Hedged[T any](ctx context.Context, ask func(context.Context) (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	var asking sync.WaitGroup
	defer asking.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan answer)
	pause := &backoff.ExponentialBackOff{InitialInterval: firstHedge, Multiplier: hedgeGrowth, MaxInterval: time.Second}
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		select {
		case <-again.C:
			asking.Go(func() {
				value, err := ask(ctx)
				select {
				case answers <- answer{value, err}:
				case <-ctx.Done():
				}
			})
			again.Reset(pause.NextBackOff())
		case a := <-answers:
			if !late(a.err) {
				return a.value, a.err
			}
		case <-ctx.Done():
			return *new(T), ctx.Err()
		}
	}
}

// late says whether an error tells no more than that no answer came in time.
func late(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout)
}
