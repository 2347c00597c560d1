package app

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"
)

const (
	// roamAfter is how long a replica whose connection stands may be out of touch with the buckets
	// before it tries another server: longer than a cluster takes to elect a leader.
	roamAfter  = 10 * time.Second
	roamJitter = 2 * time.Second
	roamLook   = 500 * time.Millisecond
)

// roam moves the connection to the next server while the present one answers but has lost touch with
// its cluster, as in a partition: the client library notices only servers that are gone.
func (r *Replica) roam(ctx context.Context, e *engine) error {
	tick := time.NewTicker(roamLook)
	defer tick.Stop()
	limit := func() time.Duration { return roamAfter + rand.N(roamJitter) } // not the whole fleet at once
	for well, patience := time.Now(), limit(); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		cause := e.inTouch()
		if cause == nil || !r.nc.IsConnected() {
			well = time.Now()
		}
		if time.Since(well) < patience || len(r.nc.Servers()) < 2 {
			continue
		}
		r.log.WarnContext(ctx, "trying another NATS server", "server", r.nc.ConnectedServerName(), "error", cause)
		if err := r.nc.ForceReconnect(); err != nil {
			return nil // closed
		}
		well, patience = time.Now(), limit()
	}
}

// inTouch says why this replica's picture of the buckets may be old; nil when it is not.
func (e *engine) inTouch() error {
	for bucket, v := range e.store.Views() {
		if !v.Current() {
			return fmt.Errorf("view of %s is not current", bucket)
		}
	}
	return e.probeLease()
}

// probeLease tells what the views may not notice, when all they read from is this side of a
// partition: a renewal is answered by the leader of its stream alone.
func (e *engine) probeLease() error {
	if e.lease.Overdue() {
		return fmt.Errorf("no answer to its renewal for %v", e.lease.Unheard().Round(time.Millisecond))
	}
	return nil
}
