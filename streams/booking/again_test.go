package booking_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
)

// TestWhoIsToldAgainIsShownSo: a replica that lags says that something was done, by another one, only when it shows
// that itself.
func TestWhoIsToldAgainIsShownSo(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	js := server.JetStream(t)
	b := newReplica(t, server.JetStream(t), 1)
	readers := planReaders(t, js)
	a := newReplica(t, server.JetStream(t), 1)
	has(t, "p", map[string]int{"i": 64}, a, b)
	needs(t, "wf", 5, []string{"p"}, a, b)
	asked := booking.Asked{WorkflowID: "wf", By: "me"}
	book := func() schedule.Schedule {
		s, err := a.Book(t.Context(), asked, at(t, tomorrow(), ""))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	hold := func() schedule.Hold {
		h, err := a.Hold(t.Context(), asked, ask(t, schedule.HoldBody, `{"ttl_s":600,"duration_s":60}`))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	cancelled, paused, released, confirmed := book(), book(), hold(), hold()
	if err := b.st.Plan.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	pause(t, js, readers, time.Now().Add(time.Hour))

	claim := func(ctx context.Context, r *replica) error {
		c, err := r.st.Plan.Claim(ctx, "name", "body")
		asked.Claim = c
		return err
	}
	err := errors.Join(a.Cancel(t.Context(), cancelled.ID, "me"), a.Pause(t.Context(), paused.ID, "me"),
		a.ReleaseHold(t.Context(), released.ID, "me"), claim(t.Context(), a))
	if err != nil {
		t.Fatal(err)
	}
	made, err := a.Confirm(t.Context(), confirmed.ID, asked, ask(t, schedule.ConfirmBody, "{}"))
	if err != nil {
		t.Fatal(err)
	}
	state := func(id string) schedule.State {
		e, ok := b.Schedules().Get(id)
		if !ok {
			return ""
		}
		return e.Value.State
	}
	again := []struct {
		what  string
		ask   func(context.Context) error
		shown func() bool
	}{
		{"cancelled", func(ctx context.Context) error { return b.Cancel(ctx, cancelled.ID, "me") }, func() bool { return state(cancelled.ID) == schedule.Cancelled }},
		{"paused", func(ctx context.Context) error { return b.Pause(ctx, paused.ID, "me") }, func() bool { return state(paused.ID) == schedule.Paused }},
		{"released", func(ctx context.Context) error { return b.ReleaseHold(ctx, released.ID, "me") }, func() bool { return b.st.Plan.HoldsOpen() == 0 }},
		{"confirmed", func(ctx context.Context) error { return b.ReleaseHold(ctx, confirmed.ID, "me") }, func() bool { return b.st.Plan.HoldsOpen() == 0 }},
		{"claimed", func(ctx context.Context) error { return claim(ctx, b) }, func() bool { return state(made.ID) == schedule.Active }},
	}
	soon, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	var all errgroup.Group
	for _, it := range again {
		all.Go(func() error {
			if err := it.ask(soon); err == nil && !it.shown() {
				t.Errorf("it is told that it is %s, and shown otherwise", it.what)
			}
			return nil
		})
	}
	_ = all.Wait()
	pause(t, js, readers, time.Now().Add(-time.Second))
	for _, it := range again {
		if err := it.ask(t.Context()); err != nil || !it.shown() {
			t.Errorf("%s: %v, shown: %v", it.what, err, it.shown())
		}
	}
}

// planReaders are the consumers that read the plan now.
func planReaders(t *testing.T, js jetstream.JetStream) (names []string) {
	t.Helper()
	stream, err := js.Stream(t.Context(), "KV_plan")
	if err != nil {
		t.Fatal(err)
	}
	list := stream.ConsumerNames(t.Context())
	for name := range list.Name() {
		names = append(names, name)
	}
	if list.Err() != nil || len(names) == 0 {
		t.Fatalf("%v, %v", names, list.Err())
	}
	return names
}

// pause has consumers of the plan bring nothing until then.
func pause(t *testing.T, js jetstream.JetStream, consumers []string, until time.Time) {
	t.Helper()
	for _, name := range consumers {
		if _, err := js.PauseConsumer(t.Context(), "KV_plan", name, until); err != nil {
			t.Fatal(err)
		}
	}
}
