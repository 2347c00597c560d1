package store_test

import (
	"log/slog"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
)

// TestRestoredNodesAreToHearTheirOrdersAgain holds that the record of each node is of another stream of orders, and else
// as it was; also when that is said twice.
func TestRestoredNodesAreToHearTheirOrdersAgain(t *testing.T) {
	t.Parallel()
	st, js := running(t, natstest.Start(t), store.Config{})
	made := time.Now().UTC()
	for _, id := range []string{"n.1", "n2"} {
		_, err := st.Nodes.Change(t.Context(), id, func(*store.NodeRecord) (*store.NodeRecord, error) {
			return &store.NodeRecord{NodeID: id, Standing: store.Standing{Membership: store.Approved}, Positions: store.Positions{InStream: made, LastSchedulerSequence: 7}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := store.Restored(t.Context(), js, slog.New(slog.DiscardHandler)); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"n.1", "n2"} {
			n, err := st.Nodes.Get(t.Context(), id)
			if err != nil || n.InStream.Equal(made) || n.InStream.IsZero() || n.LastSchedulerSequence != 7 || n.Membership != store.Approved {
				t.Errorf("%+v, %v", n, err)
			}
		}
	}
}
