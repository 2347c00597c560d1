package watcher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

var (
	// ErrStarted says that a Watcher was started, or stopped, before; one that ended is not started again.
	ErrStarted = errors.New("watcher was started already")
	// ErrNotRunning says that a Watcher is not running (any more).
	ErrNotRunning = errors.New("watcher is not running")
)

// EventHandler handles the events of one Watcher, one after the other.
type EventHandler interface {
	// HandleEvent handles an event. What happens when it fails is the Watcher's FailurePolicy. An event
	// may come again after a crash, or after SeekTo. ctx ends when the Watcher is stopped. A panic is a failure.
	HandleEvent(ctx context.Context, e Event) error
}

// Watcher hands the events of a store to a handler, in order, one at a time. It sleeps until the store
// says that there is more.
type Watcher struct {
	id      string
	store   EventStore
	handler EventHandler
	cfg     Config
	log     *slog.Logger

	seeks chan uint64
	done  chan struct{} // closed when nothing runs any more

	mu     sync.Mutex
	cancel context.CancelCauseFunc // nil before Start
	stats  Stats
}

// New makes a Watcher, which does nothing before Start. It fails for an invalid configuration. The id
// names its checkpoint.
func New(id string, store EventStore, handler EventHandler, cfg Config) (*Watcher, error) {
	err := cfg.Validate()
	if store == nil {
		err = errors.Join(err, errors.New("store is missing"))
	}
	if handler == nil {
		err = errors.Join(err, errors.New("handler is missing"))
	}
	if err = errors.Join(checkName("id", id), err); err != nil {
		return nil, fmt.Errorf("watcher %q: %w", id, err)
	}
	cfg = cfg.withDefaults()
	return &Watcher{
		id: id, store: store, handler: handler, cfg: cfg,
		log:   cfg.Logger.With("component", "watcher", "watcher", id),
		seeks: make(chan uint64), done: make(chan struct{}),
	}, nil
}

// Start finds the position and begins to watch. It bounds by ctx only the finding; Stop ends the
// watching. It fails with ErrStarted or as the store does; then it may be called again.
func (w *Watcher) Start(ctx context.Context) error {
	position, err := w.cfg.Start.find(ctx, w.store, w.id)
	if err != nil {
		return fmt.Errorf("watcher %s: %w", w.id, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancel != nil {
		return ErrStarted
	}
	running, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	w.cancel, w.stats.Running, w.stats.Position = cancel, true, position
	go w.run(running, position)
	return nil
}

// Stop ends the watching and waits until the handler has returned, at most until ctx ends. One that
// was not started is not started any more. It may be called again.
func (w *Watcher) Stop(ctx context.Context) error {
	w.mu.Lock()
	cancel := w.cancel
	if cancel == nil {
		w.cancel = func(error) {}
		close(w.done)
	}
	w.mu.Unlock()
	if cancel != nil {
		cancel(ErrNotRunning)
	}
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("watcher %s does not stop: %w", w.id, ctx.Err())
	}
}

// Done is closed when the Watcher has ended: after Stop, or because the store was closed.
func (w *Watcher) Done() <-chan struct{} { return w.done }

// SeekTo goes to the position behind an event, forwards or back; when it returns, the next call of the
// handler is for an event after that. It waits for the handler to return from the event at hand, so it
// must not be called by the handler. It fails with ErrNotRunning or ctx's error.
func (w *Watcher) SeekTo(ctx context.Context, seqNum uint64) error {
	w.mu.Lock()
	running := w.stats.Running
	w.mu.Unlock()
	if !running {
		return ErrNotRunning
	}
	select {
	case w.seeks <- seqNum:
		return nil
	case <-w.done:
		return ErrNotRunning
	case <-ctx.Done():
		return ctx.Err()
	}
}
