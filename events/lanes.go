package events

import "sync"

// lanes have deliveries worked on: those of one lane name one after the other, in the order in which
// they came, those of different names at the same time. No queue can fill up: each has room for all
// that may be held.
type lanes struct {
	work    func(*delivery)
	ready   chan *delivery // each the first of its lane
	workers sync.WaitGroup

	mu     sync.Mutex
	behind map[string][]*delivery // by the names of lanes that are ready or worked on: what follows
	hired  int                    // workers
}

const (
	// atOnce is how many workers there are at most. They mostly wait for NATS.
	atOnce = 256
	// spare is how many stay when there is nothing to do: few, whose stacks have grown and are warm.
	spare = 4
)

func newLanes(work func(*delivery)) *lanes {
	return &lanes{work: work, ready: make(chan *delivery, maxHeld+maxBatch), behind: map[string][]*delivery{}}
}

func (l *lanes) put(d *delivery) {
	leads, hire := l.queue(d)
	if leads {
		l.ready <- d
	}
	if hire {
		l.workers.Go(l.serve)
	}
}

// queue puts d behind what its lane is at work on, unless it leads; then a worker may be missing.
func (l *lanes) queue(d *delivery) (leads, hire bool) {
	name := d.lane()
	l.mu.Lock()
	defer l.mu.Unlock()
	queue, busy := l.behind[name]
	if busy {
		l.behind[name] = append(queue, d)
		return false, false
	}
	l.behind[name] = nil
	if hire = len(l.behind) > l.hired && l.hired < atOnce; hire {
		l.hired++
	}
	return true, hire
}

// serve works on one lane after the other.
func (l *lanes) serve() {
	for d := range l.ready {
		for name := d.lane(); d != nil; d = l.next(name) {
			l.work(d)
		}
		if l.leave() {
			return
		}
	}
}

// next is what follows in a lane; nil ends it.
func (l *lanes) next(name string) *delivery {
	l.mu.Lock()
	defer l.mu.Unlock()
	queue := l.behind[name]
	if len(queue) == 0 {
		delete(l.behind, name)
		return nil
	}
	d := queue[0]
	queue[0], l.behind[name] = nil, queue[1:]
	return d
}

// leave says whether a worker that has done its lane is one too many.
func (l *lanes) leave() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	tooMany := l.hired > len(l.behind)+spare
	if tooMany {
		l.hired--
	}
	return tooMany
}

// finish waits until all that was put is worked on. Nothing may be put after it.
func (l *lanes) finish() {
	close(l.ready)
	l.workers.Wait()
}
