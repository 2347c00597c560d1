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
}

// atOnce is how many lanes are worked on at the same time. Their workers mostly wait for NATS.
const atOnce = 256

func startLanes(work func(*delivery)) *lanes {
	l := &lanes{work: work, ready: make(chan *delivery, maxHeld+maxBatch), behind: map[string][]*delivery{}}
	for range atOnce {
		l.workers.Go(func() {
			for d := range l.ready {
				l.follow(d)
			}
		})
	}
	return l
}

// follow works on d and on what has come behind it.
func (l *lanes) follow(d *delivery) {
	name := d.lane()
	for more := true; more; d, more = l.next(name) {
		l.work(d)
	}
}

func (l *lanes) put(d *delivery) {
	if l.leads(d) {
		l.ready <- d
	}
}

// leads says whether d is the first of its lane; else it is put behind.
func (l *lanes) leads(d *delivery) bool {
	name := d.lane()
	l.mu.Lock()
	defer l.mu.Unlock()
	queue, busy := l.behind[name]
	if busy {
		queue = append(queue, d)
	}
	l.behind[name] = queue
	return !busy
}

func (l *lanes) next(name string) (d *delivery, more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	queue := l.behind[name]
	if len(queue) == 0 {
		delete(l.behind, name)
		return nil, false
	}
	l.behind[name] = queue[1:]
	return queue[0], true
}

// finish waits until all that was put is worked on. Nothing may be put after it.
func (l *lanes) finish() {
	close(l.ready)
	l.workers.Wait()
}
