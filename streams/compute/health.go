package compute

import (
	"fmt"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"

	"oc-scheduler/jet"
	"oc-scheduler/streams/nclprotocol"
)

// HealthTracker holds what is known of a connection. It is safe for concurrent use.
type HealthTracker struct {
	clock  clockwork.Clock
	wanted jet.Wake // wakes whoever waits for HandshakeRequired

	mu     sync.Mutex
	health nclprotocol.ConnectionHealth
	why    error // a handshake is required, while it is
	fault  error // of the last heartbeat; nil: it was answered, or there was none
}

// NewHealthTracker begins Disconnected.
func NewHealthTracker(clock clockwork.Clock) *HealthTracker {
	return &HealthTracker{
		clock:  clock,
		wanted: jet.NewWake(),
		health: nclprotocol.ConnectionHealth{StartTime: clock.Now(), CurrentState: nclprotocol.Disconnected},
	}
}

// GetHealth returns a copy of all that is known.
func (ht *HealthTracker) GetHealth() nclprotocol.ConnectionHealth {
	ht.mu.Lock()
	defer ht.mu.Unlock()
	return ht.health
}

// GetState returns the state.
func (ht *HealthTracker) GetState() nclprotocol.ConnectionState { return ht.GetHealth().CurrentState }

// MarkConnecting begins an attempt. What asked for a handshake before is settled by it.
func (ht *HealthTracker) MarkConnecting() {
	ht.change(func(h *nclprotocol.ConnectionHealth) {
		h.CurrentState = nclprotocol.Connecting
		h.HandshakeRequired = false
		ht.fault = nil
	})
}

// MarkConnected ends a successful attempt. The handshake counts as a heartbeat. Another that was
// asked for meanwhile stays asked for.
func (ht *HealthTracker) MarkConnected() {
	ht.change(func(h *nclprotocol.ConnectionHealth) {
		h.CurrentState = nclprotocol.Connected
		h.ConnectedSince = ht.clock.Now()
		h.LastSuccessfulHeartbeat = h.ConnectedSince
		h.ConsecutiveFailures = 0
		h.LastError = nil
	})
}

// MarkDisconnected ends a connection or an attempt: on purpose, and no failure, when err is nil.
func (ht *HealthTracker) MarkDisconnected(err error) {
	ht.change(func(h *nclprotocol.ConnectionHealth) {
		h.CurrentState = nclprotocol.Disconnected
		h.ConnectedSince = time.Time{}
		h.LastError = err
		if err != nil {
			h.ConsecutiveFailures++
		}
	})
}

// HeartbeatSuccess records that a heartbeat was answered.
func (ht *HealthTracker) HeartbeatSuccess() {
	ht.change(func(h *nclprotocol.ConnectionHealth) {
		h.LastSuccessfulHeartbeat = ht.clock.Now()
		ht.fault = nil
	})
}

// heartbeatFailed records why one was not answered.
func (ht *HealthTracker) heartbeatFailed(err error) {
	ht.change(func(*nclprotocol.ConnectionHealth) { ht.fault = err })
}

// missed is why heartbeats are not answered.
func (ht *HealthTracker) missed() error {
	ht.mu.Lock()
	defer ht.mu.Unlock()
	if ht.fault == nil {
		return ErrHeartbeatsMissed
	}
	return fmt.Errorf("%w: %w", ErrHeartbeatsMissed, ht.fault)
}

// UpdateSuccess records that a node info was accepted.
func (ht *HealthTracker) UpdateSuccess() {
	ht.change(func(h *nclprotocol.ConnectionHealth) { h.LastSuccessfulUpdate = ht.clock.Now() })
}

// offerAccepted records that the present offer was.
func (ht *HealthTracker) offerAccepted() {
	ht.change(func(h *nclprotocol.ConnectionHealth) { h.LastSuccessfulOffer, h.OfferRefused = ht.clock.Now(), "" })
}

// offerRefused records why the present offer was not accepted, and says whether that is news.
func (ht *HealthTracker) offerRefused(reason string) (news bool) {
	ht.change(func(h *nclprotocol.ConnectionHealth) {
		news = h.OfferRefused != reason
		h.OfferRefused = reason
	})
	return news
}

// orderGivenUp counts an order that was passed over.
func (ht *HealthTracker) orderGivenUp() {
	ht.change(func(h *nclprotocol.ConnectionHealth) { h.OrdersGivenUp++ })
}

// HandshakeRequired records that this connection can't go on without another handshake.
func (ht *HealthTracker) HandshakeRequired() { ht.requireHandshake(ErrHandshakeRequired) }

// requireHandshake is HandshakeRequired, with the reason. The first one counts.
func (ht *HealthTracker) requireHandshake(why error) {
	ht.change(func(h *nclprotocol.ConnectionHealth) {
		if !h.HandshakeRequired {
			h.HandshakeRequired, ht.why = true, why
		}
	})
	ht.wanted.Up()
}

// whyHandshake is why one is required; nil: it is not.
func (ht *HealthTracker) whyHandshake() error {
	ht.mu.Lock()
	defer ht.mu.Unlock()
	if !ht.health.HandshakeRequired {
		return nil
	}
	return ht.why
}

// IsHandshakeRequired says whether it is, until MarkConnecting.
func (ht *HealthTracker) IsHandshakeRequired() bool { return ht.GetHealth().HandshakeRequired }

func (ht *HealthTracker) change(f func(*nclprotocol.ConnectionHealth)) {
	ht.mu.Lock()
	defer ht.mu.Unlock()
	f(&ht.health)
}
