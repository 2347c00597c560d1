package carry

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

// live is the register of open streams. A stream is counted from its admission, and can be asked to end
// once it has a connection to be ended.
type live struct {
	mu       sync.Mutex
	admitted int
	open     map[stream]struct{}
	draining bool
	empty    chan struct{} // closed when draining and none is admitted any more
}

// stream is one that is open, as the register sees it. Neither method blocks.
type stream interface {
	stop(cause error) // asks it to end
	cut()             // takes its connection away
}

// request is a stream that has no connection of its own.
type request struct{ end context.CancelCauseFunc }

func (r *request) stop(cause error) { r.end(cause) }
func (r *request) cut()             {}

func newLive() *live {
	return &live{open: map[stream]struct{}{}, empty: make(chan struct{})}
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
func (l *live) add(s stream) (remove func()) {
	l.mu.Lock()
	l.open[s] = struct{}{}
	draining := l.draining
	l.mu.Unlock()
	if draining {
		s.stop(Draining)
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.open, s)
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
	for i, s := range streams {
		s.stop(Draining)
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
func (l *live) refuse() []stream {
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
	for _, s := range l.refuse() {
		s.stop(Draining)
		s.cut()
	}
	return ctx.Err()
}
