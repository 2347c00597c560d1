package carry

import (
	"sync"
	"time"
)

// heartbeat calls a function at intervals. Between the beats no goroutine waits for the next one: of
// twenty thousand streams that is the difference between a timer and a stack each.
type heartbeat struct {
	every time.Duration
	beat  func()

	mu      sync.Mutex
	stopped bool
	timer   *time.Timer
	beating sync.WaitGroup
}

// beat calls f each interval, counted from the end of the call before, until stop.
func beat(every time.Duration, f func()) *heartbeat {
	h := &heartbeat{every: every, beat: f}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timer = time.AfterFunc(every, h.run)
	return h
}

func (h *heartbeat) run() {
	if !h.enter() {
		return
	}
	defer h.beating.Done()
	h.beat()
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.stopped {
		h.timer.Reset(h.every)
	}
}

func (h *heartbeat) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return false
	}
	h.beating.Add(1)
	return true
}

// stop ends the beats and waits for one that is under way.
func (h *heartbeat) stop() {
	h.mu.Lock()
	h.stopped = true
	h.timer.Stop()
	h.mu.Unlock()
	h.beating.Wait()
}
