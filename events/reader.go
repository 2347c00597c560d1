package events

import (
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/jet"
)

const (
	maxBatch      = 256
	leastBatch    = maxBatch / 2 // a request is work for the server, however few it asks for
	maxBatchBytes = 32 << 20     // four of the largest messages
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
