package plan

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/schedule"
)

// TestWhatWasSeenOfLate is known without asking: a record at its revision, and a timer that is no older than its record.
func TestWhatWasSeenOfLate(t *testing.T) {
	t.Parallel()
	p := open(t, natstest.Start(t))
	id := p.NewID(schedule.OfSchedule)
	if _, _, ok := p.SeenSchedule(id); ok {
		t.Error("a schedule was seen that is not there")
	}
	r := schedule.Record{Schedule: schedule.Schedule{ID: id, WorkflowID: "w", State: schedule.Active, Request: []byte(`{}`)}, Workflow: []byte(`{}`)}
	store := func(revision uint64, at time.Time) uint64 {
		t.Helper()
		c := p.NewCommit("somebody")
		timer, err := p.TimerRevision(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		c.Timer(id, at, timer)
		c.Schedule(&r, revision)
		if err := c.seal(nil); err != nil {
			t.Fatal(err)
		}
		revision, err = c.batch.Commit(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return revision
	}
	at := p.Now().Add(time.Hour)
	first := store(0, at)
	second := store(first, at.Add(time.Minute))
	if err := p.Await(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	if got, revision, ok := p.SeenSchedule(id); !ok || revision != second || got.ID != id {
		t.Errorf("%+v, %d, %v", got, revision, ok)
	}
	if m, ok := p.SeenTimer(id, second); !ok || m.Revision != second-1 || !Waits(m, at.Add(time.Minute)) {
		t.Errorf("the timer is %+v, %v", m, ok)
	}
	if _, ok := p.SeenTimer(id, second+1); ok {
		t.Error("a timer is known that may be older than its record")
	}
	if _, err := p.due.Swap(t.Context(), kv.KeyOf(id), second-1, kv.Remove(time.Hour)); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the timer is seen to be gone", func() bool {
		m, ok := p.SeenTimer(id, second)
		return ok && !m.Live() && m.Revision > second
	})

	if got, _ := p.newest(Schedules.Prefix + id); got != second {
		t.Errorf("the newest change is %d, want %d: those before are followed", got, second)
	}
}

// TestATimerThatMayHaveFired is not known: the server removes it without a word.
func TestATimerThatMayHaveFired(t *testing.T) {
	t.Parallel()
	p := open(t, natstest.Start(t))
	key := kv.KeyOf("r-1")
	set := func(at time.Time) uint64 {
		t.Helper()
		last, err := p.TimerRevision(t.Context(), "r-1")
		if err != nil {
			t.Fatal(err)
		}
		revision, err := p.due.Swap(t.Context(), key, last, Timer("r-1", at))
		if err == nil {
			err = p.Await(t.Context(), revision)
		}
		if err != nil {
			t.Fatal(err)
		}
		return revision
	}
	if m, ok := p.SeenTimer("r-1", set(p.Now().Add(time.Hour))); !ok || !m.Live() {
		t.Errorf("a timer that waits: %+v, %v", m, ok)
	}
	revision := set(p.Now().Add(Ahead))
	natstest.Eventually(t, "it has fired", func() bool {
		m, err := p.fired.Newest(t.Context(), key)
		return err == nil && m.Live()
	})
	if m, ok := p.SeenTimer("r-1", revision); ok {
		t.Errorf("a timer that has fired: %+v", m)
	}
}

// TestTimersAreSeenAnew after each doubt: until all were, what is shown first may be older than what was seen before, and
// what was seen before may have gone.
func TestTimersAreSeenAnew(t *testing.T) {
	t.Parallel()
	seen, key := newTimers(), kv.KeyOf("r-1")
	at := func(revision uint64) kv.Message {
		return kv.Message{Revision: revision, Header: Timer("r-1", time.Unix(0, 0)).Header}
	}
	want := func(what string, revision uint64) {
		t.Helper()
		if m, ok := seen.get(key); m.Revision != revision || ok != (revision > 0) {
			t.Errorf("%s: revision %d, %v; want %d", what, m.Revision, ok, revision)
		}
	}
	seen.See(key, at(5))
	want("not all were seen", 0)
	seen.Whole()
	want("all were seen", 5)
	seen.See(key, at(9))
	want("it has changed", 9)
	seen.Anew()
	want("in doubt", 0)
	seen.See(key, at(5)) // by who lags
	want("one that lags tells", 0)
	seen.See(key, at(9))
	seen.Whole()
	want("all were seen again", 9)
	seen.Anew()
	seen.Whole()
	want("it has gone meanwhile", 0)
}

// TestChangesOfAnotherStream are handed out, though a view shows a higher revision: that of the one before it.
func TestChangesOfAnotherStream(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	p := open(t, srv)
	id := p.NewID(schedule.OfSchedule)
	r := schedule.Record{Schedule: schedule.Schedule{ID: id, WorkflowID: "w", State: schedule.Active, Request: []byte(`{}`)}, Workflow: []byte(`{}`)}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	stale := New(p.stream, p.clock, p.log)
	stop := natstest.Run(t, stale.Run)
	natstest.Receive(t, stale.Loaded())
	var last uint64
	for range 3 {
		if last, err = p.schedules.Swap(t.Context(), kv.KeyOf(id), last, &kv.Write{Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	if err := stale.Await(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	stop() // its views stay as they are
	js := p.stream.JetStream()
	if err := js.DeleteStream(t.Context(), p.stream.Name()); err != nil {
		t.Fatal(err)
	}
	again := open(t, srv)
	if last, err = again.schedules.Swap(t.Context(), kv.KeyOf(id), 0, &kv.Write{Data: data}); err != nil || last != 1 {
		t.Fatal(last, err)
	}
	changes := make(chan Change, 1)
	natstest.Run(t, func(ctx context.Context) error {
		return stale.OnChange(ctx, func(_ context.Context, c Change) error { changes <- c; return nil })
	})
	if c := natstest.Receive(t, changes); c.Revision != 1 {
		t.Errorf("%+v", c)
	}
}
