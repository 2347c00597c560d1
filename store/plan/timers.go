package plan

import (
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/recent"
)

// timerBytes bounds what a replica remembers of timers: those of some thousand runs and schedules that changed of late.
const timerBytes = 4 << 20

// timers are messages of Due that were seen of late: of those that may have another one soon. It is a kv.Seer.
type timers struct {
	mu    sync.Mutex
	of    *recent.Cache[kv.Key, kv.Message]
	whole bool // none is older than what any view shows
}

var _ kv.Seer = (*timers)(nil)

func newTimers() *timers {
	t := &timers{}
	t.Anew()
	return t
}

// Anew implements kv.Seer.
func (t *timers) Anew() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of, t.whole = recent.NewCache[kv.Key, kv.Message](timerBytes), false
}

// See implements kv.Seer.
func (t *timers) See(key kv.Key, m kv.Message) {
	known := kv.Message{Revision: m.Revision, Header: m.Header}
	if m.Live() { // no more of it than tells when it fires
		known.Header = nats.Header{jetstream.ScheduleHeader: m.Header.Values(jetstream.ScheduleHeader)}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of.Put(key, known, 2*recent.Overhead+len(key))
}

// Whole implements kv.Seer.
func (t *timers) Whole() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.whole = true
}

func (t *timers) get(key kv.Key) (m kv.Message, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.whole {
		return kv.Message{}, false
	}
	return t.of.Get(key)
}
