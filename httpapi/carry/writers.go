package carry

import (
	"sync"
	"time"
)

// writers write to the WebSockets whose sources woke them, one after the other. Writing does not wait
// for clients, so there need be no more writers than processors; and there are none while nobody has
// anything to say. But what a source has to say may have to be computed first: a writer that is held up
// by that is replaced.
type writers struct {
	most int
	all  sync.WaitGroup

	mu          sync.Mutex
	running     int
	first, last *socket // a list by next
}

// add has a WebSocket write, once. It must not be added again before it does.
func (w *writers) add(ws *socket) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last == nil {
		w.first = ws
	} else {
		w.last.next = ws
	}
	w.last = ws
	if w.running < w.most {
		w.running++
		w.all.Go(w.run)
	}
}

// longTurn is for how long others wait for one's turn to end.
const longTurn = time.Millisecond

func (w *writers) run() {
	relieved := make(chan struct{})
	relief := time.AfterFunc(time.Hour, func() { w.all.Go(w.run); close(relieved) })
	defer relief.Stop()
	for ws := w.take(); ws != nil; ws = w.take() {
		relief.Reset(longTurn)
		ws.write()
		if !relief.Stop() {
			<-relieved // which has taken this one's place, and is waited for by then
			return
		}
	}
}

// take is the one whose turn it is; nil, and one writer is less, when there is none.
func (w *writers) take() *socket {
	w.mu.Lock()
	defer w.mu.Unlock()
	ws := w.first
	if ws == nil {
		w.running--
		return nil
	}
	if w.first, ws.next = ws.next, nil; w.first == nil {
		w.last = nil
	}
	return ws
}

// wait waits for the writers to end, when none will be added any more.
func (w *writers) wait() { w.all.Wait() }
