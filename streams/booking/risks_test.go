package booking_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/access"
	"oc-scheduler/store/schedule"
	"oc-scheduler/store/workflow"
	"oc-scheduler/streams/booking"

	"oc-scheduler/store"
)

// TestRisksAreThoseOfEach schedule alone, whatever becomes of planners and bookings, and each change is told, at a
// replica that only looks on.
func TestRisksAreThoseOfEach(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	r, other := newReplica(t, server.JetStream(t), 1), newReplica(t, server.JetStream(t), 1)
	risks := booking.NewRisks(other.Service)
	told := struct {
		sync.Mutex
		of map[string]bool
	}{of: map[string]bool{}}
	risks.OnChange(func(id string) {
		told.Lock()
		defer told.Unlock()
		told.of[id] = risks.Of(id)
	})
	natstest.Run(t, risks.Run)
	peers := []string{"p", "q"}
	for _, peer := range peers {
		has(t, peer, map[string]int{"i": 16, "j": 16}, r, other)
	}
	sized(t, peers, r, other)
	whole(t, "take0", "p", r, other)
	draw := rand.New(rand.NewPCG(13, 7))
	start, seen := tomorrow(), map[bool]int{}
	var made []schedule.Schedule
	for range 60 {
		switch draw.IntN(4) {
		case 0, 1:
			asked := at(t, start.Add(time.Duration(draw.IntN(6))*30*time.Minute), "")
			if s, err := r.Book(t.Context(), of(fmt.Sprint("take", draw.IntN(9))), asked); err == nil {
				made = append(made, s)
			}
			continue // which puts nothing at risk
		case 2:
			if len(made) > 0 {
				if err := r.Cancel(t.Context(), made[draw.IntN(len(made))].ID, "me"); err != nil {
					t.Fatal(err)
				}
			}
		case 3:
			capacities := map[string]int{"i": draw.IntN(17), "j": draw.IntN(17)}
			if draw.IntN(4) == 0 {
				delete(capacities, "j")
			}
			has(t, peers[draw.IntN(2)], capacities, r, other)
		}
		for _, s := range made {
			got, err := r.Get(t.Context(), s.ID)
			if err != nil {
				t.Fatal(err)
			}
			seen[got.AtRisk]++
			natstest.Eventually(t, fmt.Sprintf("that %s is at risk is told to be %t", s.ID, got.AtRisk), func() bool {
				told.Lock()
				defer told.Unlock()
				return risks.Of(s.ID) == got.AtRisk && told.of[s.ID] == got.AtRisk
			})
		}
	}
	if seen[true] < 20 || seen[false] < 20 {
		t.Errorf("at risk and not: %v", seen)
	}
}

// whole stores a workflow that takes a whole instance of a peer.
func whole(t testing.TB, id, peer string, replicas ...*replica) {
	t.Helper()
	raw := fmt.Appendf(nil, `{"id":%q,"graph":{"items":{"n":{"compute":{"id":"r","peer_id":%q}}}}}`, id, peer)
	w, err := workflow.Decode(raw)
	if err == nil {
		_, _, _, err = replicas[0].st.Workflows.Put(t.Context(), id, raw, store.Author{Subject: access.Anonymous, Keep: true}, store.Condition{})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range replicas {
		natstest.Eventually(t, "the workflow shows", func() bool {
			e, ok := r.st.Workflows.View().Get(id)
			return ok && e.Value.Digest() == w.Digest()
		})
	}
}

// TestWhatIsOverIsAtRiskNoMore: nobody tells of it.
func TestWhatIsOverIsAtRiskNoMore(t *testing.T) {
	t.Parallel()
	r := newReplica(t, natstest.Start(t).JetStream(t), 1)
	risks := booking.NewRisks(r.Service)
	natstest.Run(t, risks.Run)
	has(t, "p", map[string]int{"i": 8}, r)
	needs(t, "wf", 4, []string{"p"}, r)
	s, err := r.Book(t.Context(), me, ask(t, schedule.ScheduleBody, fmt.Sprintf(`{"start":%q,"duration_s":3}`, r.st.Now().UTC().Format(time.RFC3339Nano))))
	if err != nil {
		t.Fatal(err)
	}
	has(t, "p", map[string]int{"i": 3}, r)
	natstest.Eventually(t, "it is at risk", func() bool { return risks.Of(s.ID) })
	natstest.Eventually(t, "it is over", func() bool { return !risks.Of(s.ID) })
	if got, err := r.Get(t.Context(), s.ID); err != nil || got.AtRisk || r.st.Now().Before(got.Occurrences[0].End) {
		t.Errorf("when it is told to be over: %+v, %v", got, err)
	}
}
