package natsd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// run is one life of nats-server.
type run struct {
	nats *server.Server
	log  *bridge
}

// launch returns when the server takes connections. It fails as the server does, which keeps its
// reasons as text, and when ctx ends first.
func launch(ctx context.Context, opts *server.Options, log *slog.Logger) (*run, error) {
	nats, err := server.NewServer(opts.Clone()) // it keeps and changes what it is given
	if err != nil {
		return nil, err
	}
	r := &run{nats, newBridge(ctx, log)}
	r.nats.SetLoggerV2(r.log, false, false, false)
	r.nats.Start()
	if err := r.awaitReady(ctx); err != nil {
		r.end()
		return nil, err
	}
	r.log.started()
	return r, nil
}

func (r *run) awaitReady(ctx context.Context) error {
	const step = 50 * time.Millisecond // ReadyForConnections can't be interrupted
	for {
		select {
		case err := <-r.log.fatal:
			return err
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		if r.nats.ReadyForConnections(step) {
			return nil
		}
	}
}

// ails says why the server is of no use any more, though it runs.
func (r *run) ails() error {
	if hurt := r.log.hurt.Load(); hurt != nil {
		return fmt.Errorf("a stream of it takes nothing any more: %s", *hurt)
	}
	if !r.nats.JetStreamEnabled() {
		return errors.New("it has given up JetStream")
	}
	return nil
}

func (r *run) end() {
	r.nats.Shutdown()
	r.nats.WaitForShutdown()
}
