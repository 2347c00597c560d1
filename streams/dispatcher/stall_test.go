package dispatcher_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/prometheus/client_golang/prometheus"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/dispatcher"
)

// TestAStallIsNoticedInTime: not before nothing was heard for the whole time, and then soon.
func TestAStallIsNoticedInTime(t *testing.T) {
	t.Parallel()
	s, p := memory(t), &script{fates: []fate{stored, swallowed}}
	clock, cfg, registry := clockwork.NewFakeClock(), quick(), prometheus.NewPedanticRegistry()
	cfg.Clock, cfg.StallTimeout, cfg.Registerer = clock, 40*time.Second, registry
	runs(t, s, 2)
	d := dispatch(t, cfg, params(s, p))
	natstest.Eventually(t, "two are sent", func() bool { return d.State().LastDispatched == 2 })
	var waited time.Duration
	natstest.Eventually(t, "a stall", func() bool {
		clock.Advance(time.Second)
		waited += time.Second
		return d.State().Stalls == 1
	})
	if waited < cfg.StallTimeout {
		t.Errorf("it was called a stall after %v already", waited)
	}
	natstest.Eventually(t, "recovery", func() bool {
		clock.Advance(time.Millisecond)
		return d.State().LastAcknowledged == 2
	})
	stop(t, d)
	again := dispatch(t, cfg, params(s, p)) // the next session counts on
	await(t, again, 2)
	same(t, "acknowledged", counted(t, registry, "oc_scheduler_dispatcher_events_total", "acknowledged"), 4)
	same(t, "stalls", counted(t, registry, "oc_scheduler_dispatcher_recoveries_total", "stall"), 1)
}

func counted(t *testing.T, g prometheus.Gatherer, name, label string) float64 {
	t.Helper()
	families, err := g.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && m.GetLabel()[0].GetValue() == label {
				return m.GetCounter().GetValue()
			}
		}
	}
	t.Fatalf("%s is not counted", name)
	return 0
}

func TestWhatIsNoStall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, p := memory(t), &script{fates: []fate{swallowed, swallowed, swallowed, swallowed}}
		runs(t, s, 4)
		d := dispatch(t, dispatcher.Config{StallTimeout: 40 * time.Second}, params(s, p))
		for n := range uint64(4) { // slow
			time.Sleep(30 * time.Second)
			p.acknowledge(1)
			synctest.Wait()
			same(t, "acknowledged", d.State().LastAcknowledged, n+1)
		}
		time.Sleep(time.Hour) // idle
		same(t, "state", d.State(), dispatcher.State{Running: true, LastDispatched: 4, LastAcknowledged: 4})
	})
}

func TestAPublisherThatHangsIsAStall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := memory(t)
		runs(t, s, 1)
		d := dispatch(t, dispatcher.Config{StallTimeout: 40 * time.Second}, params(s, &script{hang: true}))
		time.Sleep(39 * time.Second)
		same(t, "too early", d.State().Stalls, 0)
		time.Sleep(12 * time.Second)
		same(t, "stalls", d.State().Stalls, 1)
		same(t, "stalled", d.State().Stalled, true)
	})
}
