package auth

import (
	"sync"
	"time"
)

// bonds are what ends with grants. Those of one own root end at the same time, and share a timer.
type bonds struct {
	stands func(*Grant) bool

	mu sync.Mutex
	of map[string]*bond // by root
}

// bond is what may end with a root.
type bond struct {
	ties  map[*tie]struct{}
	timer *time.Timer // fires at the end of the grants whose own root this is; nil: there is none
	end   time.Time
}

// tie is one thing that ends.
type tie struct {
	grant *Grant
	end   func()
}

func (b *bonds) bind(g *Grant, end func()) (release func()) {
	t := &tie{g, end}
	b.mu.Lock()
	for _, root := range g.roots() {
		b.tieLocked(root, t)
	}
	b.mu.Unlock()
	if !b.stands(g) { // it ended while it was bound
		b.review(g.own())
	}
	return func() { b.release(t) }
}

func (b *bonds) tieLocked(root string, t *tie) {
	if b.of == nil {
		b.of = map[string]*bond{}
	}
	of := b.of[root]
	if of == nil {
		of = &bond{ties: map[*tie]struct{}{}}
		b.of[root] = of
	}
	of.ties[t] = struct{}{}
	if of.timer == nil && root == t.grant.own() && !t.grant.end.IsZero() {
		of.end = t.grant.end
		of.timer = time.AfterFunc(time.Until(of.end), func() { b.review(root) })
	}
}

func (b *bonds) release(t *tie) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, root := range t.grant.roots() {
		of := b.of[root]
		if of == nil {
			continue
		}
		if delete(of.ties, t); len(of.ties) > 0 {
			continue
		}
		delete(b.of, root)
		if of.timer != nil {
			of.timer.Stop()
		}
	}
}

// review ends what is bound to a root and no longer granted. What is ended stays bound until it is released.
func (b *bonds) review(root string) {
	for _, t := range b.tiesOf(root) {
		if !b.stands(t.grant) {
			t.end()
		}
	}
}

// tiesOf are the ties of a root. A timer that has fired before its time, by a clock that was set, fires again.
func (b *bonds) tiesOf(root string) []*tie {
	b.mu.Lock()
	defer b.mu.Unlock()
	of := b.of[root]
	if of == nil {
		return nil
	}
	if left := time.Until(of.end); of.timer != nil && left > 0 {
		of.timer.Reset(left)
	}
	ties := make([]*tie, 0, len(of.ties))
	for t := range of.ties {
		ties = append(ties, t)
	}
	return ties
}
