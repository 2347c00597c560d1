package compute

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/nats-io/nats.go"

	"oc-scheduler/streams/deadline"
	"oc-scheduler/streams/dispatcher"
	"oc-scheduler/streams/logstream"
	"oc-scheduler/streams/ncl"
)

// DataPlaneParams encapsulates the parameters needed to create a new DataPlane.
type DataPlaneParams struct {
	Config             Config
	Client             *nats.Conn // NATS client connection; stays the caller's
	LastReceivedSeqNum uint64     // Last event that the scheduler has; those after it are sent
}

// DataPlane moves data between a node and the scheduler, for one session: it serves the output of
// executions, and sends the events of the ledger in order. Messages from the scheduler are not its
// business: they have to be received before the handshake, when no data plane is there yet.
type DataPlane struct {
	Client     *nats.Conn             // NATS connection for messaging
	Publisher  ncl.OrderedPublisher   // Handles ordered message publishing; nil before Start
	Dispatcher *dispatcher.Dispatcher // Manages event watching and dispatch; nil before Start

	params  DataPlaneParams
	logs    *logstream.Listener
	turn    chan struct{} // held by Start and Stop
	started bool          // belongs to who holds turn, as stopped does
	stopped bool
	running atomic.Bool
}

// NewDataPlane makes a DataPlane, which does nothing before Start. It fails, with every fault at once,
// when something is missing.
func NewDataPlane(params DataPlaneParams) (*DataPlane, error) {
	params.Config.SetDefaults()
	if err := errors.Join(wrap("Config", params.Config.Validate()), absent("Client", params.Client == nil)); err != nil {
		return nil, err
	}
	return &DataPlane{Client: params.Client, params: params, turn: make(chan struct{}, 1)}, nil
}

// IsRunning says whether Start has succeeded and Stop has not been called since.
func (dp *DataPlane) IsRunning() bool { return dp.running.Load() }

// Start begins to serve logs and to send events. What has come up is taken down again when something
// fails; then Start may be called once more. What it began lives until Stop, whatever becomes of ctx.
// It fails with ErrStarted, with ErrClosed, with ctx's error, or as the part does that can't be started.
func (dp *DataPlane) Start(ctx context.Context) error {
	return dp.inTurn(ctx, func() error {
		switch {
		case dp.stopped:
			return ErrClosed
		case dp.started:
			return ErrStarted
		}
		if err := dp.bringUp(ctx); err != nil {
			grace, cancel := deadline.WithTimeout(context.WithoutCancel(ctx), dp.params.Config.Clock, dp.params.Config.RequestTimeout)
			defer cancel()
			return errors.Join(err, dp.takeDown(grace))
		}
		dp.started = true
		dp.running.Store(true)
		return nil
	})
}

// Stop ends all of it and waits until nothing runs. It fails, all faults joined, with ctx's error or as
// the parts do. It may be called again, and before Start, which it forbids.
func (dp *DataPlane) Stop(ctx context.Context) error {
	return dp.inTurn(ctx, func() error {
		dp.stopped = true
		dp.running.Store(false)
		return dp.takeDown(ctx)
	})
}

func (dp *DataPlane) inTurn(ctx context.Context, do func() error) error {
	select {
	case dp.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-dp.turn }()
	return do()
}
