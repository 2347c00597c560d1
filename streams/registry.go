package streams

import (
	"maps"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// registry maps an id to those who want to hear of it.
type registry struct {
	conflated prometheus.Counter

	mu   sync.RWMutex
	subs map[string]map[*subscription]struct{}
}

// subscription is somebody who wants to hear of one id or more.
type subscription struct{ changed func() (conflated bool) }

func newRegistry(conflated prometheus.Counter) registry {
	return registry{conflated: conflated, subs: map[string]map[*subscription]struct{}{}}
}

func (r *registry) subscribe(ids []string, changed func() bool) (cancel func()) {
	ids = distinct(ids)
	s := &subscription{changed}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		if r.subs[id] == nil {
			r.subs[id] = map[*subscription]struct{}{}
		}
		r.subs[id][s] = struct{}{}
	}
	return func() { r.unsubscribe(ids, s) }
}

// channel subscribes somebody who waits for a token.
func (r *registry) channel(ids []string) (ch <-chan struct{}, cancel func()) {
	wake := make(chan struct{}, 1)
	return wake, r.subscribe(ids, func() (conflated bool) {
		select {
		case wake <- struct{}{}:
			return false
		default:
			return true
		}
	})
}

func (r *registry) unsubscribe(ids []string, s *subscription) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, id := range ids {
		delete(r.subs[id], s)
		if len(r.subs[id]) == 0 {
			delete(r.subs, id)
		}
	}
}

func (r *registry) signal(id string) {
	conflated := 0
	for _, s := range r.of(id) {
		if s.changed() {
			conflated++
		}
	}
	r.conflated.Add(float64(conflated))
}

// of is who is subscribed to an id now, in random order.
func (r *registry) of(id string) []*subscription {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.AppendSeq(make([]*subscription, 0, len(r.subs[id])), maps.Keys(r.subs[id]))
}
