package peer_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/planner"
	pure "oc-scheduler/store/run"
	"oc-scheduler/store/schedule"
	"oc-scheduler/streams/booking"
	"oc-scheduler/streams/compose"
	runs "oc-scheduler/streams/run"
	"oc-scheduler/streams/slots"
)

// site is a world in which what nodes offer is booked, and run.
type site struct {
	*world
	bookings *booking.Service
	runs     *runs.Service
	dir      string // the node's
	stop     func() // the node
	mute     func() // nodes are told of no bookings any more
}

func newSite(t *testing.T) *site {
	t.Helper()
	w := newWorld(t)
	log := slog.New(slog.DiscardHandler)
	composer := compose.New("r1", w.store, log)
	rooms := slots.New(w.store, slots.Config{Orders: w.orders, Nodes: composer, Ready: composer.Ready(), Holds: w.holds, Log: log})
	composer.OnChange(rooms.Changed)
	s := &site{world: w, bookings: booking.New(w.store, nil), dir: t.TempDir()}
	s.runs = runs.New(w.store, runs.Config{
		Schedules: s.bookings, Grace: time.Minute, Orders: w.orders, Rooms: rooms, Ready: composer.Ready(), Log: log,
		Node: func(at pure.Place) (pure.Node, bool) {
			nodeID, ok := composer.Node(at.PeerID, planner.Ref{ResourceID: at.ResourceID, InstanceID: at.InstanceID})
			return pure.Node{ID: nodeID}, ok
		},
	})
	natstest.Run(t, composer.Run)
	natstest.Run(t, s.runs.Run)
	s.mute = natstest.Run(t, rooms.Run)
	s.stop = w.node(t, processes(s.dir))
	natstest.Eventually(t, "the node's peer has a planner", func() bool {
		_, there := w.store.Planners.View().Get("peer-a")
		return composer.Begin(t.Context(), "peer-a") == nil && there
	})
	return s
}

// workflow stores one that runs a command on some of the node's memory.
func (s *site) workflow(t *testing.T, id, command string) {
	t.Helper()
	raw := fmt.Appendf(nil, `{"id":%q,"graph":{"items":{"c":{"compute":{"id":"gpu","peer_id":"peer-a","demand":{"ram_gb":40.5}}},"a":{"processing":{"command":%s}}},"links":[{"source":"a","destination":"c"}]}}`, id, command)
	if _, _, _, err := s.store.Workflows.Put(t.Context(), id, raw, store.Author{Subject: access.Anonymous, Keep: true}, store.Condition{}); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the workflow shows", func() bool {
		_, there := s.store.Workflows.View().Get(id)
		return there
	})
}

// book books a workflow for an hour from a time on.
func (s *site) book(t *testing.T, workflowID string, start time.Time) schedule.Schedule {
	t.Helper()
	r, err := schedule.DecodeRequest(fmt.Appendf(nil, `{"start":%q,"duration_s":3600}`, start.Format(time.RFC3339Nano)), schedule.ScheduleBody)
	if err != nil {
		t.Fatal(err)
	}
	made, err := s.bookings.Book(t.Context(), booking.Asked{WorkflowID: workflowID, By: "token:t"}, r)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestWhatIsBookedRuns on a node that has the room for it, told of it before it is ordered anything.
func TestWhatIsBookedRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.workflow(t, "w", `["sh","-c","echo done"]`)
	made := s.book(t, "w", s.store.Now())
	var o schedule.Occurrence
	natstest.Eventually(t, "the run has ended", func() bool {
		r, err := s.bookings.Get(t.Context(), made.ID)
		if err == nil {
			o = r.Occurrences[0]
		}
		return err == nil && o.RunID != nil && pure.State(o.State).Final()
	})
	r, err := s.runs.Get(t.Context(), *o.RunID)
	if err != nil || r.State != pure.Completed {
		t.Fatalf("%s %s, %v", r.State, r.Reason, err)
	}
	x := s.execution(r.Steps[0].Executions[0].ExecutionID)
	if x.BookingID != made.Occurrences[0].Bookings[0].ID || x.NodeID != "n1" || s.printed(t, x.ExecutionID) != "done\n" {
		t.Errorf("%+v", x)
	}
}

// TestANodeKnowsWhatIsBooked once it is, and no more once it is cancelled, also when it was away meanwhile.
func TestANodeKnowsWhatIsBooked(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.workflow(t, "w", `["sh"]`)
	tomorrow := s.store.Now().Add(24 * time.Hour)
	var made []schedule.Schedule
	for i := range 3 {
		made = append(made, s.book(t, "w", tomorrow.Add(time.Duration(i)*time.Hour)))
	}
	knows := func(list ...schedule.Schedule) {
		t.Helper()
		var want []string
		for _, of := range list {
			want = append(want, of.Occurrences[0].Bookings[0].ID)
		}
		slices.Sort(want)
		natstest.Eventually(t, fmt.Sprintf("the node has %d bookings", len(want)), func() bool {
			o, known := s.offer()
			return known && slices.Equal(o.Bookings(), want)
		})
	}
	cancel := func(of schedule.Schedule) {
		t.Helper()
		if err := s.bookings.Cancel(t.Context(), of.ID, "somebody"); err != nil {
			t.Fatal(err)
		}
	}
	knows(made...)
	cancel(made[0])
	knows(made[1], made[2])

	s.stop()
	cancel(made[1])
	s.node(t, processes(s.dir))
	knows(made[2])
}

// TestWhatIsCancelledBlocksNothing: its slot is free at once, though the planner shows it for as long as the node does
// not know.
func TestWhatIsCancelledBlocksNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.workflow(t, "w", `["sh"]`)
	tomorrow := s.store.Now().Add(24 * time.Hour)
	made := s.book(t, "w", tomorrow)
	shows := func() bool {
		raw, _, err := s.store.Planners.Raw(t.Context(), "peer-a")
		return err == nil && bytes.Contains(raw, []byte(made.Occurrences[0].Bookings[0].ID))
	}
	natstest.Eventually(t, "the planner shows the booking", shows)
	s.mute()
	if err := s.bookings.Cancel(t.Context(), made.ID, "token:t"); err != nil {
		t.Fatal(err)
	}
	again := s.book(t, "w", tomorrow)
	if at := again.Occurrences[0].Bookings[0]; !at.Start.Equal(tomorrow) || !shows() {
		t.Errorf("booked %+v", at)
	}
}
