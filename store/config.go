package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"oc-scheduler/store/origin"
)

// Config says how the buckets are kept. The zero value of a field is its default.
type Config struct {
	// Replicas is the replication of every bucket: 1 (the default), 3 or 5.
	Replicas int
	// PlannerTTL is the life of a planner from its first insertion, in whole seconds; 24 h by default.
	PlannerTTL time.Duration
	// LeaseTTL is how long a replica's lease lives without renewal, in whole seconds; 30 s by
	// default. It is renewed three times in that time.
	LeaseTTL time.Duration
	// LastOnBus tells the newest event on the OpenCloud bus, and as its time that of now there: what came
	// up to it belongs to the lives that end now. Nil, or when it fails: what is known of them counts.
	LastOnBus func(context.Context) (origin.Source, error)
}

func (c Config) withDefaults() Config {
	c.Replicas = cmp.Or(c.Replicas, 1)
	c.PlannerTTL = cmp.Or(c.PlannerTTL, 24*time.Hour)
	c.LeaseTTL = cmp.Or(c.LeaseTTL, 30*time.Second)
	if c.LastOnBus == nil {
		c.LastOnBus = func(context.Context) (origin.Source, error) { return origin.Source{}, nil }
	}
	return c
}

// Validate reports all that is wrong with the configuration, each with the flag that sets it.
func (c Config) Validate() error {
	c = c.withDefaults()
	var errs []error
	if c.Replicas != 1 && c.Replicas != 3 && c.Replicas != 5 {
		errs = append(errs, fmt.Errorf("--js-replicas: %d is not 1, 3 or 5", c.Replicas))
	}
	if err := wholeSeconds(c.PlannerTTL); err != nil {
		errs = append(errs, fmt.Errorf("--planner-ttl: %w", err))
	}
	if err := wholeSeconds(c.LeaseTTL); err != nil {
		errs = append(errs, fmt.Errorf("lease TTL: %w", err))
	}
	return errors.Join(errs...)
}

// wholeSeconds holds what the server can do: it cuts a TTL to seconds and refuses less than one.
func wholeSeconds(d time.Duration) error {
	if d < time.Second || d%time.Second != 0 {
		return fmt.Errorf("%v is not a whole number of seconds, at least 1s", d)
	}
	return nil
}
