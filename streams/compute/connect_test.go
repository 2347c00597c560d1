package compute_test

import (
	"slices"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

func TestOrderRightAfterHandshake(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	w, m := &worker{}, &memory{}
	var o *orchestrator
	ready := make(chan struct{})
	o = startOrchestrator(t, s, "n1", m, func(*nclprotocol.HandshakeRequest) error {
		<-ready
		o.send(1) // before the node has the answer
		return nil
	})
	close(ready)
	cm := start(t, unhurried(configure(t, s.URL(), "n1", w, watcher.NewMemoryStore())))
	connected(t, cm)
	o.send(2)
	natstest.Eventually(t, "both orders", func() bool { return slices.Equal(w.seen(), []int{1, 2}) })
	stop(t, cm)
	m.look(func(m *memory) {
		if m.goodbyes != 1 || m.acknowledged != 2 || m.foreign != 0 {
			t.Errorf("%d goodbyes, acknowledged %d, %d control messages of no session", m.goodbyes, m.acknowledged, m.foreign)
		}
	})
}
