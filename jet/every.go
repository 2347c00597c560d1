package jet

import (
	"context"
	"time"
)

// Every does something each time d has passed, until ctx ends.
func Every(ctx context.Context, d time.Duration, do func(context.Context)) {
	tick := time.NewTicker(d)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			do(ctx)
		}
	}
}
