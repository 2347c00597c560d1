package httpapi

import (
	"context"
	"time"

	"oc-scheduler/store/kv"
)

const (
	shownWithin = time.Second
	shownLook   = time.Millisecond
)

// shown waits until this replica's view shows a write that was acknowledged, so that a client that
// writes and then asks here meets what it wrote. reached is given the revision in the view, 0 for
// none. The write stands whether or not the view comes in time.
func shown[T any](ctx context.Context, view *kv.View[T], id string, reached func(revision uint64) bool) {
	ctx, cancel := context.WithTimeout(ctx, shownWithin)
	defer cancel()
	look := time.NewTicker(shownLook) // a view is a millisecond behind; longer only when it is not current
	defer look.Stop()
	for {
		entry, _ := view.Get(id)
		if reached(entry.Revision) || !view.Current() {
			return
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}
