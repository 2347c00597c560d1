package streams

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// registry maps an id to the channels that want to hear of it.
type registry struct {
	conflated prometheus.Counter

	mu   sync.RWMutex
	subs map[string]map[chan struct{}]struct{}
}

func newRegistry(conflated prometheus.Counter) registry {
	return registry{conflated: conflated, subs: map[string]map[chan struct{}]struct{}{}}
}

func (r *registry) subscribe(ids []string) (<-chan struct{}, func()) {
	ids = distinct(ids)
	ch := make(chan struct{}, 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		if r.subs[id] == nil {
			r.subs[id] = map[chan struct{}]struct{}{}
		}
		r.subs[id][ch] = struct{}{}
	}
	return ch, sync.OnceFunc(func() { r.unsubscribe(ids, ch) })
}

func (r *registry) unsubscribe(ids []string, ch chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		delete(r.subs[id], ch)
		if len(r.subs[id]) == 0 {
			delete(r.subs, id)
		}
	}
}

// signal does not block: a send on a full channel is dropped, so the lock is held for a moment only.
func (r *registry) signal(id string) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for ch := range r.subs[id] {
		select {
		case ch <- struct{}{}:
		default:
			r.conflated.Inc()
		}
	}
}
