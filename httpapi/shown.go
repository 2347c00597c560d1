package httpapi

import (
	"context"
	"time"
)

const (
	shownWithin = time.Second
	shownLook   = time.Millisecond
)

// shown waits until this replica's view shows a write that was acknowledged, so that a client that
// writes and then asks here meets what it wrote. reached is given the revision in the view, 0 for
// none. The write stands whether or not the view comes in time.
func (p *Parts) shown(ctx context.Context, workflowID string, reached func(revision uint64) bool) {
	ctx, cancel := context.WithTimeout(ctx, shownWithin)
	defer cancel()
	look := time.NewTicker(shownLook) // a view is a millisecond behind; longer only when it is not current
	defer look.Stop()
	for {
		entry, _ := p.Workflows.Get(workflowID)
		if reached(entry.Revision) || !p.Workflows.Current() {
			return
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}
