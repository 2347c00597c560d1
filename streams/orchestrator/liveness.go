package orchestrator

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
	"oc-scheduler/store"
)

// lookEvery is how often the nodes are compared with their pulses, beside each time that one ends.
const lookEvery = 500 * time.Millisecond

// warden finds nodes that fell silent.
type warden struct {
	js      jetstream.JetStream
	nodes   *store.Nodes
	pulses  *store.Liveness
	log     *slog.Logger
	metrics *metrics
	wake    jet.Wake
}

func newWarden(js jetstream.JetStream, st *store.Store, cfg Config, m *metrics) *warden {
	w := &warden{js, st.Nodes, st.Liveness, cfg.Logger, m, jet.NewWake()}
	w.pulses.View().OnChange(func(nodeID string) {
		if _, alive := w.pulses.View().Get(nodeID); !alive {
			w.wake.Up()
		}
	})
	return w
}

// run looks after the nodes until ctx ends. An absence counts only when this replica has followed both
// buckets for as long as the node may be silent: before that, nodes may have had nobody to talk to.
func (w *warden) run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var since time.Time // when both views became current; zero: they are not
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-w.wake:
		}
		switch current := w.nodes.View().Current() && w.pulses.View().Current(); {
		case !current:
			since = time.Time{}
			continue
		case since.IsZero():
			since = time.Now()
		}
		if err := errors.Join(w.mend(ctx), w.look(ctx, time.Since(since))); err != nil && ctx.Err() == nil {
			w.log.WarnContext(ctx, "nodes could not be looked after, trying again", "error", err)
		}
	}
}

// mend writes anew what somebody has overwritten: NATS lets the acknowledgement of a message go where its
// sender likes.
func (w *warden) mend(ctx context.Context) error {
	mended, err := w.nodes.Mend(ctx)
	for _, nodeID := range mended {
		w.log.WarnContext(ctx, "a node's record was broken and is written anew", "node_id", nodeID)
	}
	return err
}

func (w *warden) look(ctx context.Context, steady time.Duration) error {
	for _, n := range w.nodes.View().Page("", math.MaxInt) {
		_, alive := w.pulses.View().Get(n.ID)
		if alive || n.Value.State != store.NodeConnected || steady < n.Value.Liveness() {
			continue
		}
		if err := w.lose(ctx, n.ID, n.Value.Session); err != nil {
			return err
		}
	}
	return nil
}

// lose marks a node as lost; of all replicas that try, one does.
func (w *warden) lose(ctx context.Context, nodeID, session string) error {
	delivered, err := reached(ctx, w.js, nodeID)
	if err != nil {
		return err
	}
	lost := false
	_, err = w.nodes.Change(ctx, nodeID, func(n *store.NodeRecord) (*store.NodeRecord, error) {
		lost = false
		if n == nil || n.Session != session || n.State != store.NodeConnected {
			return nil, nil
		}
		if alive, err := w.pulses.Alive(ctx, nodeID); alive || err != nil {
			return nil, err
		}
		lost = true
		n.State, n.Since, n.Reason = store.NodeLost, time.Now().UTC(), "no heartbeat in time"
		n.Delivered = max(n.Delivered, delivered)
		return n, nil
	})
	if lost && err == nil {
		w.metrics.losses.Inc()
		w.log.WarnContext(ctx, "node lost", "node_id", nodeID)
		err = w.pulses.End(ctx, nodeID, session) // there is none, or a broken one
	}
	return err
}
