package httpapi

import (
	"sync"

	"oc-scheduler/jet"
)

// changes wakes those who wait for something to change, by its id.
type changes struct {
	mu      sync.Mutex
	waiting map[string]map[jet.Wake]struct{}
}

// join returns a channel that holds a token after a change of id, however many there were since it was
// taken out, until leave is called.
func (c *changes) join(id string) (changed <-chan struct{}, leave func()) {
	wake := jet.NewWake()
	return wake, c.wake(wake, id)
}

// wake gives a signal after a change of any of some ids, until leave is called.
func (c *changes) wake(wake jet.Wake, ids ...string) (leave func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting == nil {
		c.waiting = map[string]map[jet.Wake]struct{}{}
	}
	for _, id := range ids {
		if c.waiting[id] == nil {
			c.waiting[id] = map[jet.Wake]struct{}{}
		}
		c.waiting[id][wake] = struct{}{}
	}
	return func() { c.leave(wake, ids) }
}

func (c *changes) leave(wake jet.Wake, ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range ids {
		delete(c.waiting[id], wake)
		if len(c.waiting[id]) == 0 {
			delete(c.waiting, id)
		}
	}
}

// changed is called with each id that changed; it does not block.
func (c *changes) changed(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for wake := range c.waiting[id] {
		wake.Up()
	}
}
