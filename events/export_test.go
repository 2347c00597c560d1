package events

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// OpenImpatientBus is OpenBus with another AckWait.
func OpenImpatientBus(ctx context.Context, js jetstream.JetStream, ackWait time.Duration) (*Bus, error) {
	return openBus(ctx, &Bus{js: js, replicas: 1, ackWait: ackWait})
}

// MaxHeld is how many deliveries a Listener holds at most.
const MaxHeld = maxHeld
