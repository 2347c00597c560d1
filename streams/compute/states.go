package compute

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"

	"oc-scheduler/streams/guard"
	"oc-scheduler/streams/nclprotocol"
)

// notifier calls state handlers on a goroutine of its own, so that a handler may do anything, Close
// included: who tells it of a state waits for the handlers, but no longer than it wants to.
type notifier struct {
	logger  *slog.Logger
	notices chan notice
	done    chan struct{} // closed when the last handler has returned

	mu       sync.Mutex
	handlers []nclprotocol.ConnectionStateHandler
	current  *notice // whose handlers run
}

type notice struct {
	state nclprotocol.ConnectionState
	told  chan struct{} // closed when all handlers have returned
}

// newNotifier has room for what a manager says after it stopped waiting: the end of one attempt.
func newNotifier(logger *slog.Logger) *notifier {
	return &notifier{logger: logger, notices: make(chan notice, 4), done: make(chan struct{})}
}

func (n *notifier) add(h nclprotocol.ConnectionStateHandler) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.handlers = append(n.handlers, h)
}

// run calls handlers until finish.
func (n *notifier) run() {
	defer close(n.done)
	for next := range n.notices {
		for _, h := range n.begin(&next) {
			n.call(h, next.state)
		}
		n.end(next)
	}
}

func (n *notifier) begin(next *notice) []nclprotocol.ConnectionStateHandler {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.current = next
	return slices.Clone(n.handlers)
}

func (n *notifier) end(last notice) {
	n.mu.Lock()
	n.current = nil
	n.mu.Unlock()
	close(last.told)
}

// call survives whatever a handler does.
func (n *notifier) call(h nclprotocol.ConnectionStateHandler, state nclprotocol.ConnectionState) {
	err := guard.Apart(func() error {
		h(state)
		return nil
	})
	if p, is := errors.AsType[*guard.PanicError](err); is {
		n.logger.Error("a state handler panicked", "state", state.String(), "error", p, "stack", string(p.Stack))
	}
}

// tell returns when all handlers have returned, or when ctx ends: then they are called all the same.
func (n *notifier) tell(ctx context.Context, state nclprotocol.ConnectionState) {
	next := notice{state, make(chan struct{})}
	n.notices <- next
	select {
	case <-next.told:
	case <-ctx.Done():
	}
}

// finish says that nothing more is told.
func (n *notifier) finish() { close(n.notices) }

// running is closed when the handlers that run now have returned; nil: none runs.
func (n *notifier) running() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.current == nil {
		return nil
	}
	return n.current.told
}

// wait returns when the last handler has returned; or while those of one call, that was running
// before, still do. It fails with ctx's error.
func (n *notifier) wait(ctx context.Context, before <-chan struct{}) error {
	if before != nil {
		select {
		case <-before:
		default:
			return nil
		}
	}
	select {
	case <-n.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
