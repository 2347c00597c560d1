package deadline_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/streams/deadline"
)

func TestWithTimeout(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClock()
	ctx, cancel := deadline.WithTimeout(t.Context(), clock, time.Minute)
	defer cancel()
	if err := ctx.Err(); err != nil {
		t.Fatal(err)
	}
	if d, ok := ctx.Deadline(); !ok || !d.Equal(clock.Now().Add(time.Minute)) {
		t.Errorf("deadline %v", d)
	}
	clock.Advance(time.Minute)
	<-ctx.Done()
	if err := ctx.Err(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("after its time: %v", err)
	}

	parent, end := context.WithCancel(t.Context())
	ctx, cancel = deadline.WithTimeout(parent, clock, time.Minute)
	defer cancel()
	end()
	<-ctx.Done()
	if err := ctx.Err(); !errors.Is(err, context.Canceled) {
		t.Errorf("after its parent: %v", err)
	}

	sooner, end := context.WithTimeout(t.Context(), time.Hour)
	defer end()
	clock.Advance(time.Until(time.Now().AddDate(100, 0, 0)))
	ctx, cancel = deadline.WithTimeout(sooner, clock, 24*365*100*time.Hour)
	defer cancel()
	want, _ := sooner.Deadline()
	if d, _ := ctx.Deadline(); !d.Equal(want) {
		t.Errorf("deadline %v, the parent's is %v", d, want)
	}
}
