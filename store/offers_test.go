package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/fault"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/planner"
)

// begin lets a node have a session.
func begin(t *testing.T, st *store.Store, nodeID, session string) {
	t.Helper()
	_, err := st.Nodes.Change(t.Context(), nodeID, func(n *store.NodeRecord) (*store.NodeRecord, error) {
		if n == nil {
			n = &store.NodeRecord{NodeID: nodeID, Standing: store.Standing{Membership: store.Approved}}
		}
		n.Session, n.State = session, store.NodeConnected
		return n, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// offering is the document of one instance.
func offering(instance string) []byte {
	return fmt.Appendf(nil, `{"capacities":{"r":{%q:{"ram":1}}}}`, instance)
}

func TestOffers(t *testing.T) {
	t.Parallel()
	st, js := running(t, natstest.Start(t), store.Config{})
	shows := func(instance string) {
		t.Helper()
		natstest.Eventually(t, "the view shows "+instance, func() bool {
			e, ok := st.Offers.View().Get("n.1")
			return ok && e.Value.Has(planner.Ref{ResourceID: "r", InstanceID: instance}) || !ok && instance == ""
		})
	}
	for i, step := range []struct {
		begins  string // a session; "-": the node is removed; empty: the last one goes on
		told    store.Telling
		outcome origin.Outcome
	}{
		{"", store.Telling{Session: "a", Sequence: 1}, origin.Stale},
		{"a", store.Telling{Session: "a", Sequence: 2}, origin.Stored},
		{"", store.Telling{Session: "a", Sequence: 1}, origin.Stale},
		{"", store.Telling{Session: "a", Sequence: 2}, origin.Stored},
		{"", store.Telling{Session: "a", Sequence: 7}, origin.Stored},
		{"b", store.Telling{Session: "a", Sequence: 8}, origin.Stale},
		{"", store.Telling{Session: "b", Sequence: 1}, origin.Stored},
		{"-", store.Telling{Session: "b", Sequence: 2}, origin.Stale},
		{"c", store.Telling{Session: "c", Sequence: 1}, origin.Stored},
	} {
		switch step.begins {
		case "":
		case "-":
			if err := st.Nodes.Remove(t.Context(), "n.1"); err != nil {
				t.Fatal(err)
			}
		default:
			begin(t, st, "n.1", step.begins)
		}
		instance := fmt.Sprintf("i%d", i)
		outcome, err := st.Offers.Keep(t.Context(), "n.1", step.told, offering(instance))
		if err != nil || outcome != step.outcome {
			t.Errorf("step %d: %v, %v, want %v", i, outcome, err, step.outcome)
		}
		if outcome == origin.Stored && i != 3 { // which tells again what stands
			shows(instance)
		}
	}
	var faults fault.List
	if _, err := st.Offers.Keep(t.Context(), "n.1", store.Telling{Session: "c", Sequence: 2}, []byte(`{"capacities":[]}`)); !errors.As(err, &faults) {
		t.Error(err)
	}
	if err := st.Offers.Forget(t.Context(), "n.1"); err != nil {
		t.Error(err)
	}
	shows("i8") // it is a node
	if _, err := js.Publish(t.Context(), "$KV.offers.n=2E1", []byte(`{"stream":"OC_COMPUTE_OUT","seq":7}`)); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "a broken one counts as none", func() bool { return len(st.Offers.View().Broken()) == 1 && st.Offers.View().Len() == 0 })
	if outcome, err := st.Offers.Keep(t.Context(), "n.1", store.Telling{Session: "c", Sequence: 3}, offering("i9")); err != nil || outcome != origin.Stored {
		t.Error(outcome, err)
	}
	shows("i9")
	if err := st.Nodes.Remove(t.Context(), "n.1"); err != nil {
		t.Fatal(err)
	}
	if err := st.Offers.Forget(t.Context(), "n.1"); err != nil {
		t.Error(err)
	}
	shows("")
}

// Of all that a node tells while sessions come and go, on whatever way, the newest of the last session stands;
// and nothing of one that is removed.
func TestTheNewestOfferStands(t *testing.T) {
	t.Parallel()
	st, js := open(t, natstest.Start(t), store.Config{})
	const sessions, tellings = 3, 6
	var all sync.WaitGroup
	for s := range sessions {
		session := fmt.Sprintf("s%d", s)
		begin(t, st, "n", session)
		order := rand.Perm(tellings)
		for _, sequence := range order {
			all.Go(func() {
				told := store.Telling{Session: session, Sequence: uint64(sequence)}
				if _, err := st.Offers.Keep(t.Context(), "n", told, offering(fmt.Sprintf("i%d", sequence))); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	outcome, err := st.Offers.Keep(t.Context(), "n", store.Telling{Session: "s2", Sequence: tellings - 2}, offering("i"))
	if err != nil || outcome != origin.Stale {
		t.Errorf("what was told before the newest: %v, %v", outcome, err)
	}
	for sequence := range uint64(8) {
		all.Go(func() {
			if _, err := st.Offers.Keep(t.Context(), "n", store.Telling{Session: "s2", Sequence: 100 + sequence}, offering("i")); err != nil {
				t.Error(err)
			}
		})
	}
	if err := errors.Join(st.Nodes.Remove(t.Context(), "n"), st.Offers.Forget(t.Context(), "n")); err != nil {
		t.Error(err)
	}
	all.Wait()
	for x, err := range store.ReadOffers(t.Context(), js) {
		t.Errorf("a node that is removed offers %v, %v", x, err)
	}
}
