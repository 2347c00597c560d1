package booking_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

// large is a replica with a workflow of a thousand items, which all fit at any time.
func large(t *testing.T) *replica {
	t.Helper()
	r := newReplica(t, natstest.Start(t).JetStream(t), 1)
	has(t, "p", map[string]int{"i": 1000}, r)
	needs(t, "wf", 1, slices.Repeat([]string{"p"}, 1000), r)
	return r
}

const hourly = `{"cron":"@hourly","duration_s":60}`

// TestManyOccurrencesOfManyItems are more than one call looks at: a request of a few bytes must not have a replica
// answer with hundreds of megabytes.
func TestManyOccurrencesOfManyItems(t *testing.T) {
	t.Parallel()
	r := large(t)
	items, err := r.Preview(t.Context(), me, ask(t, schedule.ScheduleBody, hourly), 100)
	if err != nil || len(items) != 100 {
		t.Fatalf("%d, %v", len(items), err)
	}
	_, previewed := r.Preview(t.Context(), me, ask(t, schedule.ScheduleBody, hourly), 101)
	_, booked := r.Book(t.Context(), me, ask(t, schedule.ScheduleBody, hourly)) // 256
	for name, err := range map[string]error{"previewed": previewed, "booked": booked} {
		if faults := fault.List(nil); !errors.As(err, &faults) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAPreviewEndsWithWhoAsks, whatever is left of it.
func TestAPreviewEndsWithWhoAsks(t *testing.T) {
	t.Parallel()
	r := large(t)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	if items, err := r.Preview(ctx, me, ask(t, schedule.ScheduleBody, hourly), 100); !errors.Is(err, context.Canceled) {
		t.Errorf("%d, %v", len(items), err)
	}
	ctx, leave = context.WithTimeout(t.Context(), time.Nanosecond)
	defer leave()
	if items, err := r.Preview(ctx, me, ask(t, schedule.ScheduleBody, hourly), 100); !errors.Is(err, booking.ErrCrowded) {
		t.Errorf("too slow: %d, %v", len(items), err)
	}
}

// TestFewPreviewsAtATime: who comes beside them waits for a while, and is told to come again.
func TestFewPreviewsAtATime(t *testing.T) {
	t.Parallel()
	r := large(t)
	leave := r.Crowd()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := r.Preview(ctx, me, ask(t, schedule.ScheduleBody, hourly), 1); !errors.Is(err, booking.ErrCrowded) {
		t.Errorf("in a crowd: %v", err)
	}
	answered := make(chan error, 1)
	go func() {
		_, err := r.Preview(t.Context(), me, ask(t, schedule.ScheduleBody, hourly), 1)
		answered <- err
	}()
	leave()
	if err := natstest.Receive(t, answered); err != nil {
		t.Errorf("after it: %v", err)
	}
	for range 2 * cap(answered) { // nobody has kept a place
		r.Crowd()()
	}
}

// TestABookingThatTakesTooLong says so, and not that NATS is away.
func TestABookingThatTakesTooLong(t *testing.T) {
	t.Parallel()
	r := newReplica(t, natstest.Start(t).JetStream(t), 1)
	has(t, "p", map[string]int{"i": 400}, r)
	needs(t, "wf", 1, slices.Repeat([]string{"p"}, 390), r)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if _, err := r.Book(ctx, me, ask(t, schedule.ScheduleBody, hourly)); !errors.Is(err, plan.ErrSlow) {
		t.Errorf("%v", err)
	}
}
