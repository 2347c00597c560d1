package natstest_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
)

func TestAProxyCutsHoldsAndDelays(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	p := natstest.StartProxy(t, s.Addr())
	nc, err := nats.Connect(p.URL(), nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond), nats.Timeout(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	reaches := func() bool { return nc.FlushTimeout(5*time.Second) == nil }
	if !reaches() {
		t.Fatal("nothing passes")
	}
	p.Hold()
	if nc.FlushTimeout(100*time.Millisecond) == nil || !nc.IsConnected() {
		t.Error("a held link passes something, or is closed")
	}
	p.Pass()
	if !reaches() {
		t.Error("what was held is lost")
	}
	p.Delay(50 * time.Millisecond)
	if begin := time.Now(); !reaches() || time.Since(begin) < 100*time.Millisecond {
		t.Errorf("there and back took %v with 50 ms each way", time.Since(begin))
	}
	p.Cut()
	natstest.Eventually(t, "the client notices", func() bool { return !nc.IsConnected() })
	p.Pass()
	natstest.Eventually(t, "the client is back", nc.IsConnected)
	before := nc.Stats().Reconnects
	p.Flap()
	natstest.Eventually(t, "the client is back again", func() bool { return nc.IsConnected() && nc.Stats().Reconnects > before })
	p.Hold()
	p.Reset()
	natstest.Eventually(t, "and again", func() bool { return nc.IsConnected() && reaches() })
}
