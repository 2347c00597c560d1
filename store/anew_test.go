package store_test

import (
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/planners"
)

func TestABucketMadeAnewIsFollowed(t *testing.T) {
	t.Parallel()
	st, js := running(t, natstest.Start(t), store.Config{})
	for i := range 20 {
		apply(t, st, plannerJSON("p", now, i), at(uint64(i+1)))
	}
	apply(t, st, plannerJSON("q", now, 1), at(1))
	shows(t, st, "q", func(planners.Record) bool { return true })
	if err := js.DeleteStream(t.Context(), "KV_planners"); err != nil {
		t.Fatal(err)
	}
	gone(t, st, "q")
	gone(t, st, "p")
	natstest.Eventually(t, "the view is current", st.Planners.View().Current)
	apply(t, st, plannerJSON("p", now.Add(-time.Second), 77), at(3)) // its revision is lower than those known
	shows(t, st, "p", func(r planners.Record) bool { return ramOf(r) == 77 })
}
