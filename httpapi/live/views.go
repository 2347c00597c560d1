package live

import (
	"context"
	"sync"
	"time"

	"oc-scheduler/httpapi/carry"
)

// Model is what a view shows. A view calls it from one goroutine at a time.
type Model interface {
	// Changed holds a token when Look may give something else.
	Changed() <-chan struct{}
	// Look is what is told to all who look, and after which time it is to be looked again although nothing changed; 0:
	// never. The error, mostly a *carry.Ending, ends the view for all.
	Look(ctx context.Context) (told []byte, again time.Duration, err error)
	// Close lets go of what it needs, after the last look.
	Close()
}

// Views are the views that somebody looks at, by a key: equal keys stand for what looks the same to all who look. The
// zero value is ready; its methods are safe for concurrent use.
type Views struct {
	mu   sync.Mutex
	open map[string]*view
	all  sync.WaitGroup
}

// Join looks at the view of a key, until the Looker is closed. It is opened by who comes first; the others wait for
// him. The error is that of open, or of the first look.
func (vs *Views) Join(key string, open func() (Model, error)) (*Looker, error) {
	l := vs.enter(key)
	l.view.opening.Do(func() { l.view.begin(open) })
	if err := l.view.refused; err != nil {
		vs.leave(l)
		return nil, err
	}
	return l, nil
}

// Open is how many views somebody looks at.
func (vs *Views) Open() int {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	return len(vs.open)
}

// Wait returns when all views have ended, for which their lookers have to leave.
func (vs *Views) Wait() { vs.all.Wait() }

func (vs *Views) enter(key string) *Looker {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	v := vs.open[key]
	if v == nil {
		v = &view{views: vs, key: key, lookers: map[*Looker]struct{}{}}
		v.ctx, v.cancel = context.WithCancel(context.Background())
		if vs.open == nil {
			vs.open = map[string]*view{}
		}
		vs.open[key] = v
	}
	l := &Looker{view: v, wake: func() {}}
	v.lookers[l] = struct{}{}
	return l
}

func (vs *Views) leave(l *Looker) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	v := l.view
	if delete(v.lookers, l); len(v.lookers) > 0 {
		return
	}
	v.cancel()
	if vs.open[v.key] == v {
		delete(vs.open, v.key)
	}
}

// tell wakes all who look at a view. An ended one is nobody's to join any more.
func (vs *Views) tell(v *view, s *sight) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	v.now.Store(s)
	if s.ended != nil && vs.open[v.key] == v {
		delete(vs.open, v.key)
	}
	for l := range v.lookers {
		l.wake()
	}
}

// Looker is one who looks at a view: a carry.Source.
type Looker struct {
	view *view
	wake func()
	told *sight
}

var _ carry.Source = (*Looker)(nil)

// Model is what the view shows.
func (l *Looker) Model() Model { return l.view.model }

// OnWake implements carry.Source.
func (l *Looker) OnWake(wake func()) {
	l.view.views.mu.Lock()
	defer l.view.views.mu.Unlock()
	l.wake = wake
}

// Poll implements carry.Source. The first one gives what is known.
func (l *Looker) Poll() (f carry.Frame, ok bool, err error) {
	now := l.view.now.Load()
	if now == l.told {
		return f, false, nil
	}
	l.told = now
	return carry.Frame{Data: now.data}, now.ended == nil, now.ended
}

// Close implements carry.Source.
func (l *Looker) Close() { l.view.views.leave(l) }
