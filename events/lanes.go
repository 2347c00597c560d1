package events

import (
	"hash/maphash"
	"sync"
)

// lanes are workers, each with a queue. Deliveries of one lane name are worked on one after the other.
// No queue can fill up: each has room for all that may be held.
type lanes struct {
	queues  []chan *delivery
	seed    maphash.Seed
	workers sync.WaitGroup
}

const laneCount = 64

func startLanes(work func(*delivery)) *lanes {
	l := &lanes{queues: make([]chan *delivery, laneCount), seed: maphash.MakeSeed()}
	for i := range l.queues {
		queue := make(chan *delivery, maxHeld+maxBatch)
		l.queues[i] = queue
		l.workers.Go(func() {
			for d := range queue {
				work(d)
			}
		})
	}
	return l
}

func (l *lanes) put(d *delivery) {
	l.queues[maphash.String(l.seed, d.lane())%laneCount] <- d
}

// finish waits until all that was put is worked on. Nothing may be put after it.
func (l *lanes) finish() {
	for _, q := range l.queues {
		close(q)
	}
	l.workers.Wait()
}
