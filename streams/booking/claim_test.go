package booking_test

import (
	"errors"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

// TestWhatWasClaimedIsMadeOnce though the replica that made it died before it could answer, and though one that was
// taken for dead goes on.
func TestWhatWasClaimedIsMadeOnce(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	a, b := newReplica(t, server.JetStream(t), 1), newReplica(t, server.JetStream(t), 1)
	has(t, "p", map[string]int{"i": 8, "j": 8, "k": 8}, a, b)
	needs(t, "wf", 5, []string{"p"}, a, b)
	claim := func(r *replica, name string) *plan.Claim {
		t.Helper()
		c, err := r.st.Plan.Claim(t.Context(), name, "body")
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	asked := func(c *plan.Claim) booking.Asked { return booking.Asked{WorkflowID: "wf", By: "me", Claim: c} }
	nine := at(t, tomorrow(), "")

	made, err := a.Book(t.Context(), asked(claim(a, "1")), nine) // and dies
	if err != nil {
		t.Fatal(err)
	}
	if again, err := b.Book(t.Context(), asked(claim(b, "1")), nine); err != nil || again.ID != made.ID {
		t.Errorf("made %s, then %s, %v", made.ID, again.ID, err)
	}

	hung := claim(a, "2")
	if _, err := b.st.Plan.Claim(t.Context(), "2", "body"); !errors.Is(err, plan.ErrInProgress) {
		t.Errorf("claimed twice: %v", err)
	}
	if err := hung.Release(t.Context()); err != nil { // as if its time were over
		t.Fatal(err)
	}
	held, err := b.Hold(t.Context(), asked(claim(b, "2")), ask(t, schedule.HoldBody, `{"ttl_s":60,"duration_s":60}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Book(t.Context(), asked(hung), nine); !errors.Is(err, plan.ErrInProgress) {
		t.Errorf("it was overtaken, and books: %v", err)
	}

	over := ask(t, schedule.HoldBody, `{"ttl_s":60,"duration_s":60}`)
	ended, err := a.Hold(t.Context(), asked(claim(a, "over")), over)
	if err == nil {
		err = a.ReleaseHold(t.Context(), ended.ID, "me")
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Hold(t.Context(), asked(claim(b, "over")), over); !errors.Is(err, booking.ErrGone) {
		t.Errorf("of a hold that was made and has ended: %v", err)
	}

	confirmed, err := a.Confirm(t.Context(), held.ID, asked(claim(a, "3")), ask(t, schedule.ConfirmBody, "{}"))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := b.Confirm(t.Context(), held.ID, asked(claim(b, "3")), ask(t, schedule.ConfirmBody, "{}")); err != nil || again.ID != confirmed.ID {
		t.Errorf("confirmed %s, then %s, %v", confirmed.ID, again.ID, err)
	}
	if n := a.Schedules().Len(); n != 2 {
		t.Errorf("%d schedules", n)
	}
}
