package peer

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/events"
	"oc-scheduler/internal/peer/ledger"
	"oc-scheduler/streams/watcher"
)

const (
	inbox = 256 // messages of the bus that may wait; a request that is lost is repeated
	// calm is the time between two planners that nobody asked for, and before one is sent again that
	// could not be sent.
	calm       = 250 * time.Millisecond
	checkpoint = "planner wanted" // 1: it is
)

// publisher publishes the planner of a peer: when it is asked for, and from then on each time that the
// bookings change, until it is not wanted any more. That it is wanted outlives a restart, for nobody asks
// again for a planner that he has. All its state belongs to Run.
type publisher struct {
	peerID   string
	nc       *nats.Conn
	ledger   *ledger.Ledger
	store    watcher.EventStore
	log      *slog.Logger
	messages chan *nats.Msg
	sub      *nats.Subscription
	wanted   bool
}

// newPublisher subscribes to the bus: what is asked from now on is answered by Run.
func newPublisher(ctx context.Context, peerID string, nc *nats.Conn, l *ledger.Ledger, store watcher.EventStore, log *slog.Logger) (*publisher, error) {
	p := &publisher{peerID: peerID, nc: nc, ledger: l, store: store, log: log.With("peer_id", peerID), messages: make(chan *nats.Msg, inbox)}
	wanted, err := store.GetCheckpoint(ctx, checkpoint)
	if err != nil && !errors.Is(err, watcher.ErrCheckpointNotFound) {
		return nil, err
	}
	p.wanted = wanted == 1
	p.sub, err = nc.ChanSubscribe(events.Propagation, p.messages)
	return p, err
}

// Run answers and publishes until ctx ends.
func (p *publisher) Run(ctx context.Context) error {
	defer func() { _ = p.sub.Unsubscribe() }() // fails only when the connection has gone, and the subscription with it
	pause := time.NewTimer(0)
	defer pause.Stop()
	changed, dirty := p.ledger.Changed(), true // who knows what changed while the node was away
	for {
		var due <-chan time.Time
		if dirty && p.wanted {
			due = pause.C
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
			changed, dirty = p.ledger.Changed(), true
			continue
		case m := <-p.messages:
			if !p.asked(ctx, m) {
				continue
			}
		case <-due:
		}
		dirty = !p.publish(ctx)
		pause.Reset(calm)
	}
}

// asked says whether a message asks for the planner.
func (p *publisher) asked(ctx context.Context, m *nats.Msg) bool {
	switch actionFor(p.peerID, m.Data) {
	case events.ActionPlanner:
		p.want(ctx, true)
		return true
	case events.ActionClosePlanner:
		p.want(ctx, false)
	}
	return false
}

func (p *publisher) want(ctx context.Context, wanted bool) {
	if p.wanted == wanted {
		return
	}
	p.wanted = wanted
	value := uint64(0)
	if wanted {
		value = 1
	}
	if err := p.store.StoreCheckpoint(ctx, checkpoint, value); err != nil { // only a restart will miss it
		p.log.WarnContext(ctx, "whether the planner is wanted was not recorded", "error", err)
	}
	if wanted {
		p.log.InfoContext(ctx, "planner wanted on the bus")
	} else {
		p.log.InfoContext(ctx, "planner no longer wanted")
	}
}

// publish sends the planner, as it is now.
func (p *publisher) publish(ctx context.Context) bool {
	planner, err := p.ledger.Planner(p.peerID)
	if err == nil {
		planner, err = plannerMessage(planner)
	}
	if err == nil {
		err = p.nc.Publish(events.Propagation, planner)
	}
	if err != nil {
		p.log.DebugContext(ctx, "planner not published, trying again", "error", err)
	}
	return err == nil
}
