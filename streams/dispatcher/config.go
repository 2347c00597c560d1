package dispatcher

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/jonboulle/clockwork"
	"github.com/prometheus/client_golang/prometheus"

	"oc-scheduler/streams/ncl"
	"oc-scheduler/streams/nclprotocol"
	"oc-scheduler/streams/watcher"
)

// Config says how a Dispatcher works. The zero value of a field is its default.
type Config struct {
	// CheckpointInterval is how often the last acknowledged sequence is kept in the store while it
	// moves; 30 s by default. It is kept once more at the end.
	CheckpointInterval time.Duration
	// StallTimeout is how long nothing may be acknowledged while something is in flight; 30 s by
	// default. It should be longer than the publisher waits for an acknowledgement. A stall is noticed
	// within a quarter more than that.
	StallTimeout time.Duration
	// Backoff is the pause before each recovery. One Dispatcher at a time may use it. By default it
	// grows from 200 ms to 15 s.
	Backoff backoff.BackOff

	Clock      clockwork.Clock       // nil: the real one
	Logger     *slog.Logger          // nil: none
	Registerer prometheus.Registerer // nil: no metrics
}

// Params are what a Dispatcher works with. All are needed, but After.
type Params struct {
	Name      string // of its checkpoint in the store
	Subject   string // of its messages
	After     uint64 // the last sequence that the other side has
	Publisher ncl.OrderedPublisher
	Store     watcher.EventStore
	Creator   nclprotocol.MessageCreator
}

// DefaultConfig returns the defaults.
func DefaultConfig() Config {
	var c Config
	c.SetDefaults()
	return c
}

// SetDefaults fills in what is zero.
func (c *Config) SetDefaults() {
	c.CheckpointInterval = cmp.Or(c.CheckpointInterval, 30*time.Second)
	c.StallTimeout = cmp.Or(c.StallTimeout, 30*time.Second)
	c.Clock = cmp.Or(c.Clock, clockwork.NewRealClock())
	c.Logger = cmp.Or(c.Logger, slog.New(slog.DiscardHandler))
	if c.Backoff == nil {
		b := backoff.NewExponentialBackOff()
		b.InitialInterval, b.MaxInterval = 200*time.Millisecond, 15*time.Second
		c.Backoff = b
	}
}

// Validate reports all that is wrong with the configuration.
func (c Config) Validate() error {
	c.SetDefaults()
	var errs []error
	if c.CheckpointInterval < 0 {
		errs = append(errs, fmt.Errorf("CheckpointInterval %v is negative", c.CheckpointInterval))
	}
	if c.StallTimeout < 4 { // ns: it is looked at four times
		errs = append(errs, fmt.Errorf("StallTimeout %v is not positive", c.StallTimeout))
	}
	return errors.Join(errs...)
}

func (p Params) validate() error {
	var errs []error
	for _, part := range []struct {
		name    string
		missing bool
	}{
		{"Name", p.Name == ""},
		{"Subject", p.Subject == ""},
		{"Publisher", p.Publisher == nil},
		{"Store", p.Store == nil},
		{"Creator", p.Creator == nil},
	} {
		if part.missing {
			errs = append(errs, errors.New(part.name+" is missing"))
		}
	}
	if len(p.Name) > watcher.MaxNameBytes {
		errs = append(errs, fmt.Errorf("name has %d bytes, at most %d are allowed", len(p.Name), watcher.MaxNameBytes))
	}
	return errors.Join(errs...)
}
