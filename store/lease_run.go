package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"oc-scheduler/store/kv"
)

func isHeld(err error) bool { return errors.Is(err, ErrLeaseHeld) }

// renew writes the lease for another TTL, whether it stands or has ended. It fails with
// ErrLeaseHeld when a living one is another process's and that does not drain.
func (h *Held) renew(ctx context.Context) error {
	sent := time.Since(h.began).Nanoseconds()
	_, err := h.leases.keys.Change(ctx, kv.KeyOf(h.id), func(last kv.Message) (*kv.Write, error) {
		if last.Live() {
			stands, err := decodeLease("", last)
			if err == nil && !stands.of(h.lease) && !stands.Draining {
				return nil, fmt.Errorf("%w: replica %q at %s", ErrLeaseHeld, h.id, stands.Address)
			}
		}
		mine := h.lease
		mine.Draining = h.draining.Load()
		data, err := json.Marshal(mine)
		return &kv.Write{Data: data, TTL: h.leases.ttl}, err
	})
	if err == nil {
		h.renewed.Store(sent)
	}
	if err == nil || isHeld(err) {
		h.heard.Store(sent)
	}
	return err
}

// SetDraining says that this replica drains: its id may be taken over at once. It fails as renewal
// does; Run goes on trying.
func (h *Held) SetDraining(ctx context.Context) error {
	h.draining.Store(true)
	err := h.renew(ctx)
	if err != nil {
		h.changed.Up()
	}
	return err
}

// LeaseEvents tells what becomes of a lease while Run renews it. Nil functions are not called;
// the others must not block for long.
type LeaseEvents struct {
	// OnLost is called once when the lease can no longer be trusted: another process has it, or it
	// could not be renewed for nearly its TTL. Run goes on trying.
	OnLost func(error)
	// OnRegained is called when a lost lease is held again.
	OnRegained func()
}

// Run renews the lease three times per TTL until ctx ends; then it returns nil and leaves the lease
// to its TTL. A lost lease is acquired again when that is possible.
func (h *Held) Run(ctx context.Context, events LeaseEvents) error {
	interval := h.leases.ttl / 3
	lost := false
	for {
		switch err := h.wait(ctx, interval, lost); {
		case ctx.Err() != nil:
			return nil
		case err == nil && lost:
			lost = false
			call(events.OnRegained)
		case err != nil && !lost && (isHeld(err) || h.doubtful()):
			lost = true
			if events.OnLost != nil {
				events.OnLost(err)
			}
		}
	}
}

// wait renews after the interval; sooner when the last try failed or the lease changed.
func (h *Held) wait(ctx context.Context, interval time.Duration, lost bool) error {
	if lost || h.unrenewed() > interval {
		interval = min(interval, time.Second)
	}
	t := time.NewTimer(interval)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return nil
	case <-t.C:
	case <-h.changed:
	}
	return h.renew(ctx)
}

func (h *Held) unrenewed() time.Duration {
	return time.Since(h.began) - time.Duration(h.renewed.Load())
}

// doubtful says whether the lease may have run out: its TTL, less a margin, has passed since the
// last good renewal was sent.
func (h *Held) doubtful() bool {
	ttl := h.leases.ttl
	return h.unrenewed() > ttl-ttl/10
}

func call(f func()) {
	if f != nil {
		f()
	}
}
