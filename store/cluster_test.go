package store_test

import (
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/origin"
	"oc-scheduler/store/planners"
)

func TestThreeServersLoseOne(t *testing.T) {
	t.Parallel()
	servers := natstest.StartCluster(t, 3).Servers
	var st *store.Store
	js := servers[0].JetStream(t)
	natstest.Eventually(t, "the cluster takes the buckets", func() bool {
		var err error
		st, err = store.Open(t.Context(), js, store.Config{Replicas: 3}, discard, nil)
		return err == nil
	})
	natstest.Run(t, st.Run)
	natstest.Receive(t, st.Planners.View().Loaded())
	apply(t, st, plannerJSON("p", now, 1), at(1))
	shows(t, st, "p", func(r planners.Record) bool { return ramOf(r) == 1 })
	servers[0].Stop()
	raw := plannerJSON("p", now.Add(time.Second), 2)
	pl := decode(t, raw)
	natstest.Eventually(t, "a planner is stored without it", func() bool {
		out, err := st.Planners.Apply(t.Context(), raw, pl, at(2))
		return err == nil && out == origin.Stored
	})
	shows(t, st, "p", func(r planners.Record) bool { return ramOf(r) == 2 })
	natstest.Eventually(t, "the view is current", st.Planners.View().Current)
}
