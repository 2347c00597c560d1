package watcher

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jonboulle/clockwork"
)

// Config says what a Watcher watches and what it does about failures. Its zero value watches all
// events from the beginning, and tries each until it is handled.
type Config struct {
	// Filter chooses the events that the handler sees.
	Filter Filter
	// Start is where the Watcher begins.
	Start Position
	// OnFailure says what becomes of an event that the handler failed for.
	OnFailure FailurePolicy
	// MaxAttempts is how often an event is tried before Skip gives it up; 5 by default.
	MaxAttempts int
	// Backoff is the pause before the same event is tried again, and before the store is asked again
	// after it failed. It belongs to the Watcher. By default it grows from 100 ms to 30 s.
	Backoff backoff.BackOff
	// CheckpointInterval is how often the position is kept in the store, under the Watcher's id, while
	// it moves, and once more at the end; 0: never.
	CheckpointInterval time.Duration
	// PageSize is how many events are read at a time; DefaultLimit by default.
	PageSize int

	Clock  clockwork.Clock // nil: the real one
	Logger *slog.Logger    // nil: none
}

// FailurePolicy is what becomes of an event that can't be handled.
type FailurePolicy int

// Policies.
const (
	Block FailurePolicy = iota // it is tried until it is handled; those after it wait
	Skip                       // it is given up after MaxAttempts
)

func (c Config) withDefaults() Config {
	c.MaxAttempts = cmp.Or(c.MaxAttempts, 5)
	c.PageSize = cmp.Or(c.PageSize, DefaultLimit)
	c.Clock = cmp.Or(c.Clock, clockwork.NewRealClock())
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	if c.Backoff == nil {
		b := backoff.NewExponentialBackOff()
		b.InitialInterval, b.MaxInterval = 100*time.Millisecond, 30*time.Second
		c.Backoff = b
	}
	return c
}

// Validate reports all that is wrong with the configuration.
func (c Config) Validate() error {
	c = c.withDefaults()
	var errs []error
	if c.OnFailure != Block && c.OnFailure != Skip {
		errs = append(errs, fmt.Errorf("failure policy %d is neither Block nor Skip", c.OnFailure))
	}
	if c.MaxAttempts < 0 {
		errs = append(errs, fmt.Errorf("%d attempts are less than one", c.MaxAttempts))
	}
	if c.CheckpointInterval < 0 {
		errs = append(errs, fmt.Errorf("checkpoint interval %v is negative", c.CheckpointInterval))
	}
	if c.PageSize < 0 {
		errs = append(errs, fmt.Errorf("a page of %d events is negative", c.PageSize))
	}
	return errors.Join(append(errs, c.Filter.validate())...)
}
