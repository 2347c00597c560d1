package kv

import (
	"context"
	"sync"
)

// progress is a revision that goes up, and that others wait for.
type progress struct {
	mu       sync.Mutex
	revision uint64
	moved    chan struct{} // closed when it goes up; nil: nobody waits
}

func (p *progress) load() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.revision
}

func (p *progress) advance(revision uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if revision <= p.revision {
		return
	}
	p.revision = revision
	if p.moved != nil {
		close(p.moved)
		p.moved = nil
	}
}

// reset begins anew.
func (p *progress) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.revision = 0
}

func (p *progress) await(ctx context.Context, revision uint64) error {
	for {
		p.mu.Lock()
		if p.revision >= revision {
			p.mu.Unlock()
			return nil
		}
		if p.moved == nil {
			p.moved = make(chan struct{})
		}
		moved := p.moved
		p.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
			return classify(ctx, ctx.Err())
		}
	}
}
