package events

import (
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/jet"
)

const (
	maxBatch      = 64       // a hung replica holds back no more than this, and only until AckWait is over
	maxBatchBytes = 32 << 20 // four of the largest messages
	pullExpiry    = 10 * time.Second
	heartbeat     = time.Second
	silence       = 7 * heartbeat / 2 // without a sign of life, the session is over
)

// reader reads the durable consumer, as far as the holds have room.
func (l *Listener) reader(lost <-chan nats.Status, idle func()) jet.Reader {
	return jet.Reader{
		Stream: Stream, Consumer: Durable, Silence: silence,
		Request:  jet.Request{Batch: maxBatch, MaxBytes: maxBatchBytes, Expires: pullExpiry, Heartbeat: heartbeat},
		Explicit: true,
		Gate:     l.holds,
		Lost:     lost,
		Idle:     idle,
	}
}
