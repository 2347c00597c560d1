package app

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"time"

	"github.com/cenkalti/backoff/v5"

	"oc-scheduler/store/access"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

const (
	bookAgain = time.Second      // the pause before another try
	bookWaits = 10 * time.Second // how long one waits for planners
)

// Book has a workflow booked, as the body of a schedule says, unless a schedule of it with these labels stands: also one
// that an earlier life of the fleet has made. It tries until that is so, for the workflow may still be unknown, and its peers away. It
// fails with a fault.List for a body with faults, else as ctx does. The replica must have been ready.
func (r *Replica) Book(ctx context.Context, workflowID string, body []byte) error {
	request, err := schedule.DecodeRequest(body, schedule.ScheduleBody)
	if err != nil {
		return err
	}
	name := rand.Text() // of all tries: one whose answer was lost may have booked
	_, err = backoff.Retry(ctx, func() (struct{}, error) { return struct{}{}, r.engine.Load().book(ctx, workflowID, request, name) },
		backoff.WithBackOff(backoff.NewConstantBackOff(bookAgain)), backoff.WithMaxElapsedTime(0),
		backoff.WithNotify(func(err error, _ time.Duration) {
			r.log.DebugContext(ctx, "not booked yet", "workflow_id", workflowID, "error", err)
		}))
	return err
}

// book books once under a name, however often it is called.
func (e *engine) book(ctx context.Context, workflowID string, request schedule.Request, name string) error {
	for _, s := range e.store.Plan.Schedules().All() {
		if s.WorkflowID == workflowID && !s.State.Final() && maps.Equal(s.Labels, request.Labels) {
			return nil
		}
	}
	claim, err := e.store.Plan.Claim(ctx, name, workflowID)
	if err == nil {
		err = e.bookClaimed(ctx, booking.Asked{WorkflowID: workflowID, By: access.Anonymous.ID, Claim: claim}, request)
	}
	if err != nil && claim != nil {
		err = errors.Join(err, claim.Release(ctx))
	}
	return err
}

func (e *engine) bookClaimed(ctx context.Context, a booking.Asked, request schedule.Request) error {
	try := func() error {
		_, err := e.bookings.Book(ctx, a, request)
		return err
	}
	err := try()
	if missing := (*booking.MissingError)(nil); !errors.As(err, &missing) {
		return err
	}
	if err := a.Claim.Extend(ctx, bookWaits); err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, bookWaits)
	defer cancel()
	if _, lost := e.checks.Wait(waiting, access.Anonymous, a.WorkflowID, request.Request, func() { err = try() }); lost != nil {
		return lost
	}
	return err
}
