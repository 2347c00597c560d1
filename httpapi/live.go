package httpapi

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// closingPace is the time between two closings of a drain: 200 clients a second come back elsewhere,
// unless there are too many for the spread allowed.
const closingPace = 5 * time.Millisecond

// live is the register of open streams. net/http forgets a connection that became a WebSocket, and
// waits for ever for server-sent events: so a drain has to know them itself. A stream is counted from
// its admission, and can be asked to end once it has a connection to be ended.
type live struct {
	mu       sync.Mutex
	admitted int
	open     map[*conversation]struct{}
	draining bool
	empty    chan struct{} // closed when draining and none is admitted any more
}

// conversation is an open stream as the register sees it.
type conversation struct {
	end func(cause error) // asks it to end, for a reason; does not block
	cut func()            // takes its connection away; does not block
}

func newLive() *live {
	return &live{open: map[*conversation]struct{}{}, empty: make(chan struct{})}
}

// enter admits a stream, which has to leave later; false while draining.
func (l *live) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.draining {
		return false
	}
	l.admitted++
	return true
}

func (l *live) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.admitted--; l.draining && l.admitted == 0 {
		close(l.empty)
	}
}

func (l *live) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.admitted
}

// add registers an admitted stream; remove takes it out again. One that comes when the drain has
// begun is asked to end at once.
func (l *live) add(c *conversation) (remove func()) {
	l.mu.Lock()
	l.open[c] = struct{}{}
	draining := l.draining
	l.mu.Unlock()
	if draining {
		c.end(errDraining)
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.open, c)
	}
}

// join registers an admitted stream that has no connection but its request's, which Shutdown cuts. The
// context returned ends with ctx or, with its cause, in a drain; part is to be called once.
func (l *live) join(ctx context.Context) (joined context.Context, part func()) {
	joined, end := context.WithCancelCause(ctx)
	remove := l.add(&conversation{end: end, cut: func() {}})
	return joined, func() {
		remove()
		end(nil)
	}
}

// drain asks every stream to end, in random order and at an even pace within spread, so that the
// clients don't all come back elsewhere in the same instant, and waits until they have. When the
// context ends first, the connections that are left are cut, and its error is returned.
func (l *live) drain(ctx context.Context, spread time.Duration) error {
	streams := l.refuse()
	pace := min(closingPace, spread/time.Duration(len(streams)+1))
	tick := time.NewTicker(max(pace, time.Microsecond))
	defer tick.Stop()
	for i, c := range streams {
		c.end(errDraining)
		if i == len(streams)-1 {
			break
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return l.cutAll(ctx)
		}
	}
	select {
	case <-l.empty:
		return nil
	case <-ctx.Done():
		return l.cutAll(ctx)
	}
}

// refuse begins the drain and returns the open streams in random order.
func (l *live) refuse() []*conversation {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.draining && l.admitted == 0 {
		close(l.empty)
	}
	l.draining = true
	streams := slices.Collect(maps.Keys(l.open))
	rand.Shuffle(len(streams), func(i, j int) { streams[i], streams[j] = streams[j], streams[i] })
	return streams
}

func (l *live) cutAll(ctx context.Context) error {
	for _, c := range l.refuse() {
		c.end(errDraining)
		c.cut()
	}
	return ctx.Err()
}
