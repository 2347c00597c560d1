package dispatcher

import (
	"context"
	"errors"
	"time"

	"oc-scheduler/streams/guard"
	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/watcher"
)

// run sends, course after course, until it is stopped or nothing can be sent any more.
func (d *Dispatcher) run(ctx context.Context) {
	checkpoints := d.cfg.Clock.NewTicker(d.cfg.CheckpointInterval)
	defer checkpoints.Stop()
	looks := d.cfg.Clock.NewTicker(d.cfg.StallTimeout / patience)
	defer looks.Stop()
	err := guard.Apart(func() error {
		d.courses(ctx, checkpoints.Chan(), looks.Chan())
		return nil
	})
	if err != nil {
		d.end(ctx, err)
	}
	d.save(context.WithoutCancel(ctx))
	d.update(func(s *State) { s.Running, s.InFlight = false, 0 })
	close(d.done)
}

// courses is all of run but its ends.
func (d *Dispatcher) courses(ctx context.Context, checkpoints, looks <-chan time.Time) {
	d.cfg.Backoff.Reset()
	for {
		begun := d.State().LastAcknowledged
		err := d.course(ctx, checkpoints, looks)
		if ctx.Err() != nil {
			return
		}
		if errors.Is(err, ncl.ErrClosed) || errors.Is(err, watcher.ErrClosed) {
			d.end(ctx, err)
			return
		}
		d.update(func(s *State) { s.LastError = err })
		if !d.recover(ctx, err, d.State().LastAcknowledged > begun) {
			return
		}
	}
}

func (d *Dispatcher) end(ctx context.Context, err error) {
	d.update(func(s *State) { s.LastError = err })
	d.log.WarnContext(ctx, "nothing can be sent any more", "error", err)
}

// recover makes ready to begin again after the last acknowledged event. It says no when it was stopped
// meanwhile.
func (d *Dispatcher) recover(ctx context.Context, err error, progress bool) bool {
	d.Publisher.Reset(ctx)
	if progress {
		d.cfg.Backoff.Reset()
	}
	stalled, pause := errors.Is(err, ErrStalled), max(d.cfg.Backoff.NextBackOff(), 0)
	count, stalls := d.metrics.failures, uint64(0)
	if stalled {
		count, stalls = d.metrics.stalls, 1
	}
	count.Inc()
	var last uint64
	d.update(func(s *State) {
		last = s.LastAcknowledged
		s.LastDispatched, s.InFlight, s.Stalled = last, 0, stalled
		s.Recoveries, s.Stalls = s.Recoveries+1, s.Stalls+stalls
	})
	d.log.WarnContext(ctx, "sending begins again", "last_acknowledged", last, "pause", pause, "error", err)
	return d.sleep(ctx, pause)
}

func (d *Dispatcher) sleep(ctx context.Context, pause time.Duration) bool {
	timer := d.cfg.Clock.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.Chan():
		return true
	case <-ctx.Done():
		return false
	}
}

// save keeps the last acknowledged sequence.
func (d *Dispatcher) save(ctx context.Context) {
	last := d.State().LastAcknowledged
	if last == d.saved {
		return
	}
	err := guard.Apart(func() error { return d.Store.StoreCheckpoint(ctx, d.Name, last) })
	if err != nil {
		d.log.WarnContext(ctx, "checkpoint is not stored", "sequence", last, "error", err)
		return
	}
	d.saved = last
}
