package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"oc-scheduler/httpapi"
	"oc-scheduler/store"
)

// lookEvery is how often a replica that starts looks whether it is ready.
const lookEvery = 5 * time.Millisecond

// awaitReady announces, once, that the replica can serve, and gives back what only the start has needed.
func (r *Replica) awaitReady(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for !r.isReady() {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
	r.log.InfoContext(ctx, "ready", "url", r.URL())
	close(r.ready)
	r.tellManager(ctx, daemon.SdNotifyReady)
	if err := announce("--ready-file", r.cfg.ReadyFile, r.URL()+"\n"); err != nil {
		return &ConfigError{err}
	}
	tidyMemory(ctx)
	return nil
}

func (r *Replica) isReady() bool {
	for _, c := range r.checks() {
		if c.Probe() != nil {
			return false
		}
	}
	return true
}

// checks are the conditions of readiness as they are now.
func (r *Replica) checks() []httpapi.Check {
	e := r.engine.Load() // once: whether it is there decides what else is asked
	checks := []httpapi.Check{
		{Name: "nats", Probe: r.probeNATS}, r.permits.check(), {Name: "engine", Probe: func() error { return r.probeEngine(e) }},
	}
	if r.issuer != nil {
		checks = append(checks, issuerCheck(r.issuer))
	}
	if e != nil {
		for bucket, v := range e.store.Views() {
			checks = append(checks, viewCheck(bucket, v))
		}
		checks = append(checks,
			httpapi.Check{Name: "lease", Probe: e.probeLease},
			httpapi.Check{Name: "bus", Probe: e.listener.Deaf},
			httpapi.Check{Name: "writes", Probe: e.store.Refused},
			httpapi.Check{Name: "streams", Probe: e.intake.Err})
	}
	return checks
}

func (r *Replica) probeNATS() error {
	if r.embedded != nil {
		if err := r.embedded.Err(); err != nil {
			return err
		}
	}
	if !r.nc.IsConnected() {
		return fmt.Errorf("connection is %v", r.nc.Status())
	}
	return nil
}

// probeEngine tells what the start is waiting for.
func (r *Replica) probeEngine(e *engine) error {
	if e != nil {
		return nil
	}
	if err := r.opening.Load(); err != nil {
		return *err
	}
	return errors.New("opening buckets and bus")
}

func viewCheck(bucket string, v store.Follower) httpapi.Check {
	return httpapi.Check{
		Name: "view " + bucket,
		Probe: func() error {
			if v.Current() {
				return nil
			}
			return fmt.Errorf("not current for %v", v.Age().Round(time.Millisecond))
		},
		Notes: func() []string {
			broken := v.Broken()
			notes := make([]string, 0, len(broken))
			for _, key := range slices.Sorted(maps.Keys(broken)) {
				notes = append(notes, key+": "+broken[key])
			}
			return notes
		},
	}
}
