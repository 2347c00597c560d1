package plan

import (
	"errors"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/kv"
)

// TestATimerFires before its time and no sooner than it says, also one that is set in a batch; one that was removed does
// not.
func TestATimerFires(t *testing.T) {
	t.Parallel()
	p := open(t, natstest.Start(t))
	at := p.Now().Add(time.Second)
	b := p.Stream().NewBatch()
	for id, timer := range map[string]time.Time{"s-1": at, "s-2": at.Add(-time.Hour), "s-3": at} {
		if err := b.SetAt(p.due, kv.KeyOf(id), 0, Timer(id, timer)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	m, err := p.due.Newest(t.Context(), "s-3")
	if err == nil {
		_, err = p.due.Swap(t.Context(), "s-3", m.Revision, kv.Remove(time.Minute))
	}
	if err != nil {
		t.Fatal(err)
	}
	fired := map[string]time.Time{}
	natstest.Eventually(t, "two have fired", func() bool {
		for _, id := range []string{"s-1", "s-2", "s-3"} {
			if m, err := p.fired.Value(t.Context(), kv.KeyOf(id)); err == nil {
				fired[id] = m.Stored
			}
		}
		return len(fired) >= 2
	})
	if fired["s-1"].Before(at.Add(-Ahead)) || fired["s-2"].After(at) || !fired["s-3"].IsZero() {
		t.Errorf("fired %v, the first was to at %v", fired, at)
	}
	for _, id := range []string{"s-1", "s-2"} {
		if _, err := p.due.Value(t.Context(), kv.KeyOf(id)); !errors.Is(err, kv.ErrNotFound) {
			t.Errorf("the timer of %s stands: %v", id, err)
		}
	}
}
