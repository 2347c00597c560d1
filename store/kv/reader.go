package kv

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/jet"
)

const (
	heartbeat = time.Second
	// silence is how long the server may say nothing while something is asked of it.
	silence = 2 * heartbeat
	// pullExpiry is when a request that has not brought all it may is made again.
	pullExpiry = 30 * time.Second
)

// Reader reads a consumer, with at most batch messages on their way at a time.
func Reader(cons jetstream.Consumer, batch int) jet.Reader {
	info := cons.CachedInfo()
	return jet.Reader{
		Stream: info.Stream, Consumer: info.Name, Silence: silence,
		Request: jet.Request{Batch: batch, Expires: pullExpiry, Heartbeat: heartbeat},
	}
}
