package compute

import (
	"context"
	"time"

	"oc-scheduler/streams/deadline"
	"oc-scheduler/streams/guard"
	"oc-scheduler/streams/nclprotocol"
)

// run goes round the states until life ends.
func (cm *ConnectionManager) run(life, grace context.Context) {
	defer close(cm.done)
	defer cm.states.finish()
	for life.Err() == nil {
		lived, connected := cm.round(life, grace)
		cm.pause(life, connected, lived)
	}
}

// round is one attempt to connect and, when it succeeds, the life of the connection.
func (cm *ConnectionManager) round(life, grace context.Context) (lived time.Duration, connected bool) {
	cm.health.MarkConnecting()
	cm.states.tell(life, nclprotocol.Connecting)
	l, err := cm.connect(life, grace)
	if connected = err == nil; connected {
		cm.health.MarkConnected()
		since := cm.cfg.Clock.Now()
		cm.states.tell(life, nclprotocol.Connected)
		err = cm.watch(life, l)
		lived = cm.cfg.Clock.Since(since)
		cm.takeDown(life, grace, l)
	}
	if life.Err() != nil {
		err = nil
	}
	cm.health.MarkDisconnected(err)
	cm.states.tell(life, nclprotocol.Disconnected)
	return lived, connected
}

// takeDown closes a link: with a goodbye when life has ended.
func (cm *ConnectionManager) takeDown(life, grace context.Context, l link) {
	ctx, cancel := deadline.WithTimeout(grace, cm.cfg.Clock, cm.cfg.RequestTimeout)
	defer cancel()
	onPurpose := life.Err() != nil
	err := l.close(ctx, onPurpose)
	if err != nil {
		cm.logger.WarnContext(grace, "connection did not come down cleanly", "error", err)
	}
	if onPurpose {
		cm.result = err
	}
}

// pause waits before the next round.
func (cm *ConnectionManager) pause(life context.Context, connected bool, lived time.Duration) {
	if life.Err() != nil {
		return
	}
	h := cm.health.GetHealth()
	d := cm.cfg.ReconnectInterval
	err := guard.Apart(func() error {
		d = cm.pace.next(connected, lived, h.LastError)
		return nil
	})
	if err != nil {
		cm.logger.ErrorContext(life, "the backoff does not work", "error", err)
	}
	cm.logger.WarnContext(life, "not connected", "error", h.LastError, "failures", h.ConsecutiveFailures, "next_attempt_in", d.String())
	timer := cm.cfg.Clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.Chan():
	case <-life.Done():
	}
}

// watch returns when the connection can't go on, and says why.
func (cm *ConnectionManager) watch(life context.Context, l link) error {
	for {
		if err := cm.health.whyHandshake(); err != nil {
			return err
		}
		left := cm.cfg.heartbeatLimit() - cm.cfg.Clock.Since(cm.health.GetHealth().LastSuccessfulHeartbeat)
		if left <= 0 {
			return cm.health.missed()
		}
		if err := cm.await(life, l, left); err != nil {
			return err
		}
	}
}

// await returns nil after a time, or when somebody asked for a handshake.
func (cm *ConnectionManager) await(life context.Context, l link, d time.Duration) error {
	timer := cm.cfg.Clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.Chan():
		return nil
	case <-cm.health.wanted:
		return nil
	case err := <-l.lost():
		return err
	case <-life.Done():
		return life.Err()
	}
}
