package jet_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/jet"
)

func TestWhatIsLostIsAskedAgain(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	js := srv.JetStream(t)
	if err := ensure(t.Context(), js); err != nil {
		t.Fatal(err)
	}
	streams := srv.Lose(t, 3, "$JS.API.STREAM.INFO.ORDERS")
	consumers := srv.Lose(t, 3, "$JS.API.CONSUMER.INFO.ORDERS.reader")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := ensure(ctx, js); err != nil {
		t.Error(err)
	}
	if streams() != 3 || consumers() != 3 {
		t.Errorf("%d questions about the stream and %d about the consumer were lost", streams(), consumers())
	}
}

// silent gives no answer to its first n calls.
func silent(n int64, answer error) (calls *atomic.Int64, ask func(context.Context) (int64, error)) {
	calls = new(atomic.Int64)
	return calls, func(ctx context.Context) (int64, error) {
		call := calls.Add(1)
		if call <= n {
			<-ctx.Done()
			return 0, ctx.Err()
		}
		return call, answer
	}
}

func TestHedgedReturnsTheFirstAnswer(t *testing.T) {
	t.Parallel()
	errAnswer := errors.New("no such stream")
	for name, tc := range map[string]struct {
		silent      int64
		answer      error
		after, most time.Duration
	}{
		"at once":          {0, nil, 0, 0},
		"one lost":         {1, nil, 100 * time.Millisecond, 200 * time.Millisecond},
		"four lost":        {4, nil, time.Second, 2 * time.Second},
		"an error":         {0, errAnswer, 0, 0},
		"an error, later":  {1, errAnswer, 100 * time.Millisecond, 200 * time.Millisecond},
		"none for a while": {20, nil, 10 * time.Second, 20 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				calls, ask := silent(tc.silent, tc.answer)
				value, err := jet.Hedged(t.Context(), ask)
				if value != tc.silent+1 || !errors.Is(err, tc.answer) || calls.Load() != value {
					t.Errorf("value %d, error %v after %d calls", value, err, calls.Load())
				}
				if took := time.Since(began); took < tc.after || took > tc.most {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}

func TestHedgedEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		calls, ask := silent(1<<60, nil)
		if _, err := jet.Hedged(ctx, ask); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if calls.Load() < 4 || calls.Load() > 8 { // more and more rarely, lest a slow server gets still more to do
			t.Errorf("%d calls", calls.Load())
		}
	})
}

// A call that gives up by itself is as good as one that was lost.
func TestHedgedTakesLatenessForNoAnswer(t *testing.T) {
	t.Parallel()
	for _, late := range []error{nats.ErrTimeout, context.DeadlineExceeded} {
		synctest.Test(t, func(t *testing.T) {
			var calls int
			value, err := jet.Hedged(t.Context(), func(context.Context) (string, error) {
				if calls++; calls < 3 {
					return "", late
				}
				return "here", nil
			})
			if value != "here" || err != nil {
				t.Errorf("%q, %v after %v", value, err, late)
			}
		})
	}
}
