package queue

import (
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Delay is the pause after so many failures in a row: it grows from 0.1 s to 2 s, with jitter, for after an outage
// all that is watched comes back at once.
func Delay(failures int) time.Duration {
	b := backoff.ExponentialBackOff{InitialInterval: 100 * time.Millisecond, RandomizationFactor: 0.5, Multiplier: 2, MaxInterval: 2 * time.Second}
	b.Reset()
	d := b.NextBackOff()
	for range min(failures, 10) - 1 {
		d = b.NextBackOff()
	}
	return d
}
