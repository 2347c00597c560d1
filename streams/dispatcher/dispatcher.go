package dispatcher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"oc-scheduler/streams/guard"
)

var (
	// ErrStarted says that a Dispatcher was started, or stopped, before; one that ended is not started again.
	ErrStarted = errors.New("dispatcher was started already")
	// ErrAhead says that the other side has events that the ledger never gave: it has lost its newest
	// ones, and must not use their numbers again.
	ErrAhead = errors.New("the other side is ahead of the ledger")
	// ErrStalled says that nothing was acknowledged for too long.
	ErrStalled = errors.New("nothing is acknowledged")
)

// Dispatcher sends the events of a ledger to the other side.
type Dispatcher struct {
	Params
	cfg     Config
	log     *slog.Logger
	metrics metrics
	book

	ledger string // asked for once, by Start

	seen  uint64 // the last event that was looked at, ever; the course's handler owns it while one runs
	saved uint64 // the checkpoint, as far as this Dispatcher has stored it

	start  sync.Mutex
	cancel context.CancelFunc // nil before Start
	done   chan struct{}      // closed when nothing runs any more
}

// New makes a Dispatcher, which does nothing before Start. It fails for what is missing or invalid.
func New(cfg Config, p Params) (*Dispatcher, error) {
	if err := errors.Join(cfg.Validate(), p.validate()); err != nil {
		return nil, fmt.Errorf("dispatcher %q: %w", p.Name, err)
	}
	cfg.SetDefaults()
	m, err := newMetrics(cfg.Registerer)
	if err != nil {
		return nil, fmt.Errorf("dispatcher %q: %w", p.Name, err)
	}
	d := &Dispatcher{
		Params: p, cfg: cfg, metrics: m,
		log:  cfg.Logger.With("component", "dispatcher", "dispatcher", p.Name),
		seen: p.After,
		done: make(chan struct{}),
	}
	d.state.LastDispatched, d.state.LastAcknowledged = p.After, p.After
	return d, nil
}

// Start begins to send. ctx bounds only the start; Stop ends the sending. It fails with ErrStarted, with
// ErrAhead, or as the store does.
func (d *Dispatcher) Start(ctx context.Context) error {
	ledger, newest, err := d.look(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("dispatcher %s: %w", d.Name, err)
	case newest < d.After:
		return fmt.Errorf("dispatcher %s: %w: it has %d, the newest event is %d", d.Name, ErrAhead, d.After, newest)
	}
	d.start.Lock()
	defer d.start.Unlock()
	if d.cancel != nil {
		return ErrStarted
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	d.cancel, d.ledger = cancel, ledger
	d.update(func(s *State) { s.Running = true })
	go d.run(running)
	return nil
}

// look asks the store which ledger it is, and how far it goes. A store that panics fails.
func (d *Dispatcher) look(ctx context.Context) (ledger string, newest uint64, err error) {
	err = guard.Apart(func() (err error) {
		ledger = d.Store.LedgerID()
		newest, err = d.Store.GetLatestEventNum(ctx)
		return err
	})
	return ledger, newest, err
}

// Stop ends the sending, keeps a checkpoint and waits for that, at most until ctx ends. What is in
// flight is not waited for. It may be called again, and before Start, which does nothing any more then.
func (d *Dispatcher) Stop(ctx context.Context) error {
	d.start.Lock()
	if d.cancel == nil {
		d.cancel = func() {}
		close(d.done)
	}
	d.cancel()
	d.start.Unlock()
	select {
	case <-d.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("dispatcher %s does not stop: %w", d.Name, ctx.Err())
	}
}

// Done is closed when the Dispatcher has ended: after Stop, or because its store or its publisher was
// closed, which State tells.
func (d *Dispatcher) Done() <-chan struct{} { return d.done }
