//go:build soak && unix

package fleettest_test

import (
	"fmt"
	"time"

	"oc-scheduler/internal/fleettest"
)

// marginOfLife is how long after the end of a planner's life a stream may be told of it.
const marginOfLife = 3 * time.Second

// judgeLosses counts the streams that were told of a planner that it is missing, or of a workflow that it is gone,
// while it stood: its life had begun before, and goes on.
func (w *world) judgeLosses(f fault) {
	w.Helper()
	const what = "no stream is told that something went which stands"
	var lives map[string]time.Time
	fleettest.Until(w, "the planners can be read", func() string {
		var err error
		if lives, err = fleettest.Lives(w.Context(), w.js); err != nil {
			return err.Error()
		}
		return ""
	})
	for _, s := range w.streams {
		for _, l := range s.Losses() {
			began, stands := lives[l.PeerID]
			w.tally.judge(what, !stands || !began.Before(l.At.Add(-marginOfLife)),
				fmt.Sprintf("%s: %s missing at %v, its life began at %v", f.name, l.PeerID, l.At, began))
		}
	}
	w.tally.judge(what, true, "")
}
