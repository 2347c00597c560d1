package carry

import (
	"context"
	"log/slog"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
)

// Carriers carry the streams of one server. They are safe for concurrent use.
type Carriers struct {
	cfg     Config
	hooks   Hooks
	log     *slog.Logger
	metrics metrics
	limits  limits
	refused limits // WebSockets that are told why they are none
	live    *live

	messages messages // to WebSockets
	writers  writers  // to WebSockets
}

// New returns carriers without streams. reg may be nil.
func New(cfg Config, hooks Hooks, log *slog.Logger, reg prometheus.Registerer) *Carriers {
	cfg = cfg.withDefaults()
	return &Carriers{
		cfg: cfg, hooks: hooks, log: log, metrics: newMetrics(reg),
		limits:  limits{max: cfg.MaxStreams, maxPerClient: cfg.MaxStreamsPerClient},
		refused: limits{max: maxRefused, maxPerClient: maxRefusedPerClient},
		live:    newLive(),
		writers: writers{most: runtime.GOMAXPROCS(0)},
	}
}

// Admit counts the stream of a client, by whatever name clients are told apart, in, whatever carries it; leave, to be
// called once, counts it out. The error is Draining or a *LimitError.
func (c *Carriers) Admit(client string) (leave func(), err error) {
	if err := c.limits.enter(client); err != nil {
		return nil, err
	}
	if !c.live.enter() {
		c.limits.leave(client)
		return nil, Draining
	}
	return func() {
		c.limits.leave(client)
		c.live.leave()
	}, nil
}

// Streams is how many have been admitted and have not left.
func (c *Carriers) Streams() int { return c.live.count() }

// Join registers an admitted stream that has no connection but its request's, which Shutdown of net/http
// cuts. The context returned ends with ctx or, with Draining as its cause, in a drain; part is to be
// called once.
func (c *Carriers) Join(ctx context.Context) (joined context.Context, part func()) {
	joined, end := context.WithCancelCause(ctx)
	remove := c.live.add(&request{end})
	return joined, func() {
		remove()
		end(nil)
	}
}

// Drain refuses new streams and ends the open ones with Draining, spread so that their clients don't come
// back elsewhere all at once. It returns when the last has gone, or with the context's error after having
// cut those that were left.
func (c *Carriers) Drain(ctx context.Context) error {
	if err := c.live.drain(ctx, c.cfg.DrainSpread); err != nil {
		return err
	}
	c.writers.wait()
	return nil
}

// guard runs f on behalf of one stream: a panic ends that one alone.
func (c *Carriers) guard(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			c.hooks.Panicked(v)
			err = Fault
		}
	}()
	return f()
}
