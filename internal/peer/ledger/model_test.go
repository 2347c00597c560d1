package ledger_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"pgregory.net/rapid"

	"oc-scheduler/internal/peer/ledger"
	"oc-scheduler/store/planner"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// TestAgainstABruteForceTwin makes random changes, and compares the ledger with a simple twin, and with
// a ledger that is made again of what was recorded.
func TestAgainstABruteForceTwin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := &model{
			t: t, store: watcher.NewMemoryStore(), clock: clockwork.NewFakeClockAt(began),
			bookings: map[string]nclprotocol.BookingState{}, slots: map[string][]nclprotocol.Slot{},
			executions: map[string]nclprotocol.ExecutionState{},
		}
		m.reopen(t)
		t.Repeat(map[string]func(*rapid.T){
			"book": m.book, "release": m.release, "accept": m.accept, "change": m.change, "cancel": m.cancel,
			"reopen": m.reopen, "later": func(t *rapid.T) {
				m.clock.Advance(time.Duration(rapid.IntRange(1, 90).Draw(t, "minutes")) * time.Minute)
			},
			"": m.compare,
		})
	})
}

type model struct {
	t     *rapid.T
	store *watcher.MemoryStore
	clock *clockwork.FakeClock
	*ledger.Ledger
	bookings   map[string]nclprotocol.BookingState
	slots      map[string][]nclprotocol.Slot
	executions map[string]nclprotocol.ExecutionState
}

func (m *model) reopen(t *rapid.T) {
	l, err := ledger.Open(t.Context(), m.store, capacities, m.clock)
	m.must(err)
	l.SnapshotEvery(rapid.Uint64Range(1, 20).Draw(t, "events"))
	m.Ledger = l
}

func (m *model) must(err error) {
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *model) book(t *rapid.T) {
	id := fmt.Sprint("b", rapid.IntRange(0, 30).Draw(t, "booking"))
	var slots []nclprotocol.Slot
	for range rapid.IntRange(1, 3).Draw(t, "slots") {
		start := rapid.IntRange(0, 20).Draw(t, "start")
		s := slot("gpu", rapid.SampledFrom([]string{"i0", "i1"}).Draw(t, "instance"), float64(start), float64(start+rapid.IntRange(1, 5).Draw(t, "hours")), nil)
		if rapid.Bool().Draw(t, "part") {
			s.Usage = nclprotocol.Amounts{"gpus": float64(rapid.IntRange(0, 10).Draw(t, "gpus")) / 2}
		}
		slots = append(slots, s)
	}
	m.must(m.Book(t.Context(), nclprotocol.BookSlots{BookingID: id, Slots: slots}))
	if _, known := m.bookings[id]; known {
		return
	}
	m.bookings[id] = nclprotocol.BookingRefused
	if m.fits(slots) {
		m.bookings[id], m.slots[id] = nclprotocol.BookingBooked, slots
	}
}

// fits adds up, at each full hour, who takes what.
func (m *model) fits(slots []nclprotocol.Slot) bool {
	now := m.clock.Now()
	all := append([]nclprotocol.Slot{}, slots...)
	for id, more := range m.slots {
		if m.bookings[id] == nclprotocol.BookingBooked {
			all = append(all, more...)
		}
	}
	for _, s := range slots {
		if !s.End.After(now) {
			return false
		}
		capacity := float64(capacities["gpu"][s.InstanceID]["gpus"] / planner.Unit)
		for hour := s.Start; hour.Before(s.End); hour = hour.Add(time.Hour) {
			sum, takers := 0.0, 0
			for _, o := range all {
				if o.InstanceID != s.InstanceID || hour.Before(o.Start) || !hour.Before(o.End) || !o.End.After(now) {
					continue
				}
				use, whole := o.Usage["gpus"], o.Usage == nil
				if whole {
					use = capacity
				}
				sum += use
				if use > 0 {
					takers++
				}
			}
			if s.Usage != nil && sum > capacity || s.Usage["gpus"] > capacity || s.Usage == nil && takers > 1 {
				return false
			}
		}
	}
	return true
}

func (m *model) release(t *rapid.T) {
	id := fmt.Sprint("b", rapid.IntRange(0, 30).Draw(t, "booking"))
	m.must(release(m.Ledger, id, 0))
	if m.bookings[id] != nclprotocol.BookingRefused {
		m.bookings[id] = nclprotocol.BookingReleased
	}
}

func (m *model) execution(t *rapid.T) string {
	return fmt.Sprint("x", rapid.IntRange(0, 15).Draw(t, "execution"))
}

func (m *model) accept(t *rapid.T) {
	id := m.execution(t)
	accepted, err := m.Accept(t.Context(), nclprotocol.RunExecution{ExecutionID: id})
	m.must(err)
	if _, known := m.executions[id]; accepted == known {
		t.Fatalf("accepted: %v, known: %v", accepted, known)
	} else if !known {
		m.executions[id] = nclprotocol.ExecutionQueued
	}
}

func (m *model) change(t *rapid.T) {
	id := m.execution(t)
	to := rapid.SampledFrom([]nclprotocol.ExecutionState{
		nclprotocol.ExecutionStarting, nclprotocol.ExecutionRunning, nclprotocol.ExecutionCompleted, nclprotocol.ExecutionFailed,
	}).Draw(t, "state")
	changed, err := m.Change(t.Context(), id, ledger.Outcome{State: to})
	m.must(err)
	s, known := m.executions[id]
	if changed != (known && !s.Final()) {
		t.Fatalf("changed: %v, from %q", changed, s)
	}
	if changed {
		m.executions[id] = to
	}
}

func (m *model) cancel(t *rapid.T) {
	id := m.execution(t)
	running, err := m.Cancel(t.Context(), id, "why")
	m.must(err)
	s, known := m.executions[id]
	if running != (s == nclprotocol.ExecutionStarting || s == nclprotocol.ExecutionRunning) {
		t.Fatalf("running: %v, from %q", running, s)
	}
	if !known || s == nclprotocol.ExecutionQueued {
		m.executions[id] = nclprotocol.ExecutionCancelled
	}
}

func (m *model) compare(t *rapid.T) {
	again, err := ledger.Open(t.Context(), m.store, capacities, m.clock)
	m.must(err)
	if a, b := m.Bookings(), again.Bookings(); !reflect.DeepEqual(a, b) {
		t.Fatalf("bookings\n%v, made again\n%v", a, b)
	}
	for _, l := range []*ledger.Ledger{m.Ledger, again} {
		for id, want := range m.bookings {
			if b, _ := l.Booking(id); b.State != want {
				t.Fatalf("booking %s is %q (%s), want %q", id, b.State, b.Reason, want)
			}
		}
		for id, want := range m.executions {
			if x, _ := l.Execution(id); x.State != want {
				t.Fatalf("execution %s is %q, want %q", id, x.State, want)
			}
		}
	}
}
