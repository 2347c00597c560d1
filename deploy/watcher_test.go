//go:build compose

package deploy_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// answer is what of a result the checks look at.
type answer struct {
	Type     string
	Version  string
	Status   string
	Missing  []string `json:"missing_planners"`
	NextSlot *struct {
		Start time.Time
	} `json:"next_slot"`
}

// watcher is a client as the protocol wants it: it reads, and when its stream ends it comes back.
type watcher struct {
	url   string
	token string
	stop  context.CancelFunc
	done  chan struct{}

	mu       sync.Mutex
	newest   *answer // of the stream that is open; nil before its first frame
	versions map[string]bool
	ended    map[websocket.StatusCode]int // streams that ended, by close code; -1 without one
	cut      time.Time                    // when the last stream ended
	gap      time.Duration                // the longest time between a stream's end and the next one's first answer
}

func watch(ctx context.Context, url, token string) *watcher {
	ctx, stop := context.WithCancel(ctx)
	w := &watcher{url: url, token: token, stop: stop, done: make(chan struct{}), versions: map[string]bool{}, ended: map[websocket.StatusCode]int{}}
	go w.run(ctx)
	return w
}

func (w *watcher) run(ctx context.Context) {
	defer close(w.done)
	for ctx.Err() == nil {
		w.follow(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(50*time.Millisecond + rand.N(200*time.Millisecond)):
		}
	}
}

// follow reads one stream to its end.
func (w *watcher) follow(ctx context.Context) {
	dialling, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	ws, _, err := websocket.Dial(dialling, w.url, &websocket.DialOptions{
		Subprotocols: []string{"oc.check.v1"}, HTTPHeader: http.Header{"Authorization": {"Bearer " + w.token}},
	})
	if err != nil {
		return // run tries again
	}
	defer func() { _ = ws.CloseNow() }()
	ws.SetReadLimit(1 << 20)
	leave := context.AfterFunc(ctx, func() { _ = ws.Close(websocket.StatusNormalClosure, "") })
	defer leave()
	for {
		_, frame, err := ws.Read(context.WithoutCancel(ctx))
		if err != nil {
			w.note(func() { w.newest, w.cut = nil, time.Now(); w.ended[websocket.CloseStatus(err)]++ })
			return
		}
		a := &answer{}
		if err := json.Unmarshal(frame, a); err != nil || a.Type != "result" {
			a.Status = string(frame) // matches nothing that is waited for, and is shown
		}
		w.note(func() { w.take(a) })
	}
}

func (w *watcher) take(a *answer) {
	if w.newest == nil && !w.cut.IsZero() {
		w.gap = max(w.gap, time.Since(w.cut))
	}
	w.newest, w.versions[a.Version] = a, true
}

func (w *watcher) note(f func()) { w.mu.Lock(); defer w.mu.Unlock(); f() }

// shows tells whether the newest answer is as wanted.
func (w *watcher) shows(ok func(*answer) bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.newest != nil && ok(w.newest)
}

// leave ends the stream as a client does that has seen enough.
func (w *watcher) leave() { w.stop(); <-w.done }

// endings sums up how the streams of many ended.
func endings(all []*watcher) map[websocket.StatusCode]int {
	sum := map[websocket.StatusCode]int{}
	for _, w := range all {
		w.note(func() {
			for code, n := range w.ended {
				sum[code] += n
			}
		})
	}
	return sum
}

// longestGap is the longest that any of many was without an answer since the last call.
func longestGap(all []*watcher) (longest time.Duration) {
	for _, w := range all {
		w.note(func() { longest, w.gap = max(longest, w.gap), 0 })
	}
	return longest
}
