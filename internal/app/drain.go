package app

import (
	"context"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// shutdownWithin bounds the closing of streams and the end of requests in flight.
const shutdownWithin = 15 * time.Second

// drain takes the replica out of service without harm to its clients: load balancers are told first,
// then streams are closed so that their clients reconnect elsewhere. What the streams watch is left
// in the fleet's lists until the lease ends, so that they find their planners there. It returns how
// many streams it closed.
func (r *Replica) drain(ctx context.Context) (closed int) {
	r.log.InfoContext(ctx, "draining", "grace", r.cfg.DrainGrace.String())
	r.tellManager(ctx, daemon.SdNotifyStopping)
	r.http.Retire()
	if err := retract("--ready-file", r.cfg.ReadyFile); err != nil {
		r.log.WarnContext(ctx, "ready file is still there", "error", err)
	}
	if e := r.engine.Load(); e != nil {
		e.retire(ctx)
	}
	select {
	case <-ctx.Done():
	case <-time.After(r.cfg.DrainGrace):
	}
	return r.halt(ctx)
}

// halt closes the streams, which it counts, and ends the HTTP side.
func (r *Replica) halt(ctx context.Context) (closed int) {
	closed = r.http.Streams()
	if e := r.engine.Load(); e != nil {
		e.letGo()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownWithin)
	defer cancel()
	if err := r.http.Drain(ctx); err != nil {
		r.log.WarnContext(ctx, "streams were cut", "error", err)
	}
	if err := r.http.Shutdown(ctx); err != nil {
		r.log.WarnContext(ctx, "requests were cut", "error", err)
	}
	return closed
}
