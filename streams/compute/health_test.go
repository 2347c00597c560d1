package compute_test

import (
	"errors"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/streams/compute"
	"oc-scheduler/streams/nclprotocol"
)

func TestHealthTracker(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClock()
	born := clock.Now()
	ht := compute.NewHealthTracker(clock)
	step := func(do func(), want nclprotocol.ConnectionHealth) {
		t.Helper()
		clock.Advance(time.Second)
		do()
		want.StartTime = born
		if have := ht.GetHealth(); have != want {
			t.Fatalf("%+v, want %+v", have, want)
		}
		if ht.GetState() != want.CurrentState || ht.IsHandshakeRequired() != want.HandshakeRequired {
			t.Fatal("the short forms differ from GetHealth")
		}
	}
	at := func(seconds int) time.Time { return born.Add(time.Duration(seconds) * time.Second) }
	lost := errors.New("lost")

	step(func() {}, nclprotocol.ConnectionHealth{})
	step(ht.MarkConnecting, nclprotocol.ConnectionHealth{CurrentState: nclprotocol.Connecting})
	step(func() { ht.MarkDisconnected(lost) }, nclprotocol.ConnectionHealth{ConsecutiveFailures: 1, LastError: lost})
	step(ht.MarkConnecting, nclprotocol.ConnectionHealth{CurrentState: nclprotocol.Connecting, ConsecutiveFailures: 1, LastError: lost})
	h := nclprotocol.ConnectionHealth{CurrentState: nclprotocol.Connected, ConnectedSince: at(5), LastSuccessfulHeartbeat: at(5)}
	step(ht.MarkConnected, h)
	h.LastSuccessfulHeartbeat = at(6)
	step(ht.HeartbeatSuccess, h)
	h.LastSuccessfulUpdate = at(7)
	step(ht.UpdateSuccess, h)
	h.HandshakeRequired = true
	step(ht.HandshakeRequired, h)
	step(ht.HandshakeRequired, h)
	h.CurrentState, h.ConnectedSince, h.ConsecutiveFailures, h.LastError = nclprotocol.Disconnected, time.Time{}, 1, lost
	step(func() { ht.MarkDisconnected(lost) }, h)
	h.CurrentState, h.HandshakeRequired = nclprotocol.Connecting, false
	step(ht.MarkConnecting, h)
	h.HandshakeRequired = true // while the attempt still goes on
	step(ht.HandshakeRequired, h)
	h.CurrentState, h.ConnectedSince, h.LastSuccessfulHeartbeat, h.ConsecutiveFailures, h.LastError = nclprotocol.Connected, at(13), at(13), 0, nil
	step(ht.MarkConnected, h)
	h.CurrentState, h.ConnectedSince = nclprotocol.Disconnected, time.Time{}
	step(func() { ht.MarkDisconnected(nil) }, h)
}
