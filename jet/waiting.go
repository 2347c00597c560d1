package jet

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// waitingEvery is the time between two looks at a consumer.
	waitingEvery = 2 * time.Second
	// waitingWithin bounds one look.
	waitingWithin = 2 * time.Second
)

// Waiting tells, now and then until ctx ends, how many messages of a consumer nobody has handled yet: those
// that are to be delivered, and those that were and are not acknowledged. It is the server's word, whether or
// not anything is delivered: of a consumer that is paused, or whose readers hang, nothing else tells. Nothing
// is told of what the server does not answer.
func Waiting(ctx context.Context, js jetstream.JetStream, stream, consumer string, tell func(messages uint64)) {
	tick := time.NewTicker(waitingEvery)
	defer tick.Stop()
	for {
		if n, err := waiting(ctx, js, stream, consumer); err == nil {
			tell(n)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func waiting(ctx context.Context, js jetstream.JetStream, stream, consumer string) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, waitingWithin)
	defer cancel()
	c, err := js.Consumer(ctx, stream, consumer)
	if err != nil {
		return 0, err
	}
	info := c.CachedInfo()
	return info.NumPending + uint64(max(info.NumAckPending, 0)), nil
}
