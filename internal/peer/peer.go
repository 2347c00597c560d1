// Package peer is a site of OpenCloud as the demo needs it: it answers requests for its planner, and
// publishes a new one every few seconds until nobody wants it any more. Its bookings change by
// themselves, so that live answers move.
package peer

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/events"
)

// Config is what a peer is.
type Config struct {
	PeerID     string
	Capacities Capacities
	Every      time.Duration // between two planners while they are wanted
}

// Peer is one site. All its state belongs to the goroutine of Run.
type Peer struct {
	cfg      Config
	nc       *nats.Conn
	log      *slog.Logger
	ledger   *ledger
	messages chan *nats.Msg
	sub      *nats.Subscription
}

// inbox is how many bus messages may wait: this peer is quick, the bus of a demo is calm.
const inbox = 256

// New subscribes to the bus: what is asked from now on will be answered by Run.
func New(nc *nats.Conn, cfg Config, log *slog.Logger) (*Peer, error) {
	p := &Peer{
		cfg: cfg, nc: nc, log: log.With("component", "peer", "peer_id", cfg.PeerID),
		ledger:   newLedger(cfg.Capacities, rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))),
		messages: make(chan *nats.Msg, inbox),
	}
	var err error
	if p.sub, err = nc.ChanSubscribe(events.Propagation, p.messages); err != nil {
		return nil, err
	}
	return p, nc.Flush()
}

// Run answers and publishes until ctx ends.
func (p *Peer) Run(ctx context.Context) error {
	defer func() { _ = p.sub.Unsubscribe() }() // fails only when the connection has gone, and the subscription with it
	p.ledger.fill(time.Now())
	tick := time.NewTicker(p.cfg.Every)
	defer tick.Stop()
	var wanted bool
	for {
		select {
		case <-ctx.Done():
			return nil
		case m := <-p.messages:
			switch p.actionForMe(m.Data) {
			case events.ActionPlanner:
				wanted = true
				p.publish(ctx)
			case events.ActionClosePlanner:
				wanted = false
				p.log.InfoContext(ctx, "planner is not wanted any more")
			}
		case now := <-tick.C:
			p.ledger.turn(now)
			if wanted {
				p.publish(ctx)
			}
		}
	}
}
