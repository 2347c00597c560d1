package compute

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"oc-scheduler/streams/guard"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
)

// ControlPlaneParams encapsulates all dependencies needed to create a new ControlPlane.
type ControlPlaneParams struct {
	Config             Config
	Requester          ncl.Publisher                // For sending control messages
	HealthTracker      *HealthTracker               // For health monitoring
	IncomingSeqTracker *nclprotocol.SequenceTracker // For sequence tracking
	CheckpointName     string                       // For checkpoint identification
	// NodeInfo is what the scheduler knows of the node already; zero: nothing, so that it is told soon.
	NodeInfo nclprotocol.NodeInfo
}

// ControlPlane does what recurs between a node and the scheduler, for one session: heartbeats, node info
// and offers when they changed, and checkpoints of the last processed message. One that hangs does not
// hold up the others.
type ControlPlane struct {
	params ControlPlaneParams
	cfg    *Config // of params
	logger *slog.Logger
	done   chan struct{} // closed when nothing runs any more
	offers *offers

	told       nclprotocol.NodeInfo // belongs to updateNodeInfo
	checkpoint position             // belongs to storeCheckpoint
	result     error                // of the last checkpoint, once done is closed

	mu      sync.Mutex
	stopped bool
	cancel  context.CancelFunc // nil before Start
}

// NewControlPlane makes a ControlPlane, which does nothing before Start. It fails, with every fault at
// once, when something is missing.
func NewControlPlane(params ControlPlaneParams) (*ControlPlane, error) {
	params.Config.SetDefaults()
	if err := params.validate(); err != nil {
		return nil, err
	}
	cp := &ControlPlane{
		params: params,
		logger: params.Config.Logger.With("component", "control_plane"),
		done:   make(chan struct{}),
		told:   params.NodeInfo,
	}
	cp.cfg = &cp.params.Config
	cp.offers = newOffers(cp)
	return cp, nil
}

func (p *ControlPlaneParams) validate() error {
	return errors.Join(
		wrap("Config", p.Config.Validate()),
		absent("Requester", p.Requester == nil),
		absent("HealthTracker", p.HealthTracker == nil),
		absent("IncomingSeqTracker", p.IncomingSeqTracker == nil),
		absent("CheckpointName", p.CheckpointName == ""),
	)
}

// Start begins; it does not wait for the first heartbeat, which is due after an interval, nor for the offer,
// which is told at once. What it began
// lives until Stop, whatever becomes of ctx. It fails with ErrStarted or ErrClosed.
func (cp *ControlPlane) Start(ctx context.Context) error {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	switch {
	case cp.stopped:
		return ErrClosed
	case cp.cancel != nil:
		return ErrStarted
	}
	last := context.WithoutCancel(ctx)
	ctx, cp.cancel = context.WithCancel(last)
	var tasks sync.WaitGroup
	cp.every(ctx, &tasks, "heartbeat", cp.cfg.HeartbeatInterval, cp.heartbeat)
	cp.every(ctx, &tasks, "update of node info", cp.cfg.NodeInfoUpdateInterval, cp.updateNodeInfo)
	cp.every(ctx, &tasks, "checkpoint", cp.cfg.CheckpointInterval, cp.storeCheckpoint)
	if cp.cfg.OfferProvider != nil {
		tasks.Go(func() { cp.offers.run(ctx) })
	}
	go func() {
		defer close(cp.done)
		tasks.Wait()
		cp.result = guard.Apart(func() error { return cp.storeCheckpoint(last) })
	}()
	return nil
}

// every runs a task at each tick until ctx ends. One that fails, or panics, is due again at the next.
func (cp *ControlPlane) every(ctx context.Context, tasks *sync.WaitGroup, name string, interval time.Duration, task func(context.Context) error) {
	ticker := cp.cfg.Clock.NewTicker(interval)
	tasks.Go(func() {
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.Chan():
				err := guard.Apart(func() error { return task(ctx) })
				if err != nil && ctx.Err() == nil {
					cp.logger.WarnContext(ctx, "a periodic task failed", "task", name, "error", err)
				}
			}
		}
	})
}

// Stop ends all of it, which stores a last checkpoint, and waits until nothing of it runs. It fails
// with ctx's error, or as the checkpointer does. It may be called again, and before Start, which it forbids.
func (cp *ControlPlane) Stop(ctx context.Context) error {
	cp.mu.Lock()
	cancel := cp.cancel
	cp.stopped = true
	cp.mu.Unlock()
	if cancel == nil {
		return nil
	}
	cancel()
	select {
	case <-cp.done:
		return cp.result
	case <-ctx.Done():
		return ctx.Err()
	}
}
