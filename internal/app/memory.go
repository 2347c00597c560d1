package app

import (
	"context"
	"runtime/debug"
	"time"
)

// settling is how long after its start a replica may still be busy with it: with what came to pass
// while it was away.
const settling = time.Second

// tidyMemory gives back to the system, once, what only the start has needed: loading the buckets
// leaves more garbage than values, and without need the memory would be kept for long.
func tidyMemory(ctx context.Context) {
	t := time.NewTimer(settling)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
		debug.FreeOSMemory()
	}
}
