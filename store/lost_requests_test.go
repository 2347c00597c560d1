package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
)

// A cluster that elects a leader loses requests without a word. Whoever waits for the answer of one of
// them alone learns of the new leader late.
func TestALostRequestCostsAViewNoSession(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	reg := prometheus.NewPedanticRegistry()
	js := srv.JetStream(t)
	st, err := store.Open(t.Context(), js, store.Config{}, discard, reg)
	if err != nil {
		t.Fatal(err)
	}
	apply(t, st, plannerJSON("p", now, 1), at(1))
	lost := []func() int{
		srv.Lose(t, 1, "$JS.API.STREAM.INFO.KV_planners"),
		srv.Lose(t, 1, "$JS.API.CONSUMER.CREATE.KV_planners.>"),
	}
	natstest.Run(t, st.Planners.View().Run)
	natstest.Receive(t, st.Planners.View().Loaded())
	for i, n := range lost {
		if n() < 1 {
			t.Errorf("%d requests of kind %d were lost", n(), i)
		}
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "oc_scheduler_view_resyncs_total" && m.GetCounter().GetValue() > 0 {
				t.Errorf("the view began again: %v", m)
			}
		}
	}
}

func TestALostReadIsMadeAgain(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	st, _ := open(t, srv, store.Config{})
	lost := srv.Lose(t, 2, "$JS.API.STREAM.MSG.GET.KV_interest")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := st.Interest.Add(ctx, "p", "replica-1"); err != nil {
		t.Error(err)
	}
	if lost() < 2 {
		t.Errorf("%d reads were lost", lost())
	}
}
