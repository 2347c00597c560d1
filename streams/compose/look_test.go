package compose

import (
	"fmt"
	"sync"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
)

// What the roster says in the end is what both views show in the end, however their changes meet.
func TestBothViewsAtOnce(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	a := start(t, srv, "a")
	const rounds, nodes = 10, 4
	var all sync.WaitGroup
	for n := range nodes {
		nodeID := fmt.Sprint("n", n)
		a.here(t, nodeID)
		all.Go(func() {
			for round := range rounds {
				a.tells(t, nodeID, uint64(1+round), map[string]int{nodeID: round})
			}
		})
		all.Go(func() {
			for range rounds {
				a.node(t, nodeID, func(r *store.NodeRecord) { r.State = store.NodeLost })
				a.here(t, nodeID)
			}
		})
	}
	all.Wait()
	natstest.Eventually(t, "all nodes are known with the last that they told", func() bool {
		here, _ := a.roster.here("p")
		for n := range nodes {
			told, ok := a.store.Offers.View().Get(fmt.Sprint("n", n))
			if !ok || told.Value.Sequence != rounds || here[fmt.Sprint("n", n)] != told.Value.Offer {
				return false
			}
		}
		return true
	})
}
