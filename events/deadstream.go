package events

import (
	"context"
	"time"

	"oc-scheduler/jet"
)

// deadEvery is how often the stream of dead letters is looked for.
const deadEvery = 5 * time.Second

// keepDeadStream makes the stream of dead letters again when somebody has removed it, until ctx ends. Nothing is
// read from it, so that nothing else would tell; what cannot be used comes again and again until it is there.
func (l *Listener) keepDeadStream(ctx context.Context) {
	jet.Every(ctx, deadEvery, func(ctx context.Context) {
		asking, cancel := context.WithTimeout(ctx, openTimeout)
		defer cancel()
		if _, err := jet.EnsureStream(asking, l.bus.js, l.bus.deadConfig()); err != nil && ctx.Err() == nil {
			l.log.DebugContext(ctx, "no dead letter can be kept", "stream", DeadStream, "error", err)
		}
	})
}
