package fleettest

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/coder/websocket"
)

// Shown is the newest that one check stream has shown. It is not opened again.
type Shown struct {
	end func()

	mu      sync.Mutex
	version string
}

// Show opens a check stream, until End or the end of the test.
func Show(tb testing.TB, url string) *Shown {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ws, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{Subprotocols: []string{"oc.check.v1"}})
	if err != nil {
		cancel()
		tb.Fatal(err)
	}
	s, done := &Shown{}, make(chan struct{})
	go func() {
		defer close(done)
		for {
			_, frame, err := ws.Read(ctx)
			if err != nil {
				return
			}
			s.take(frame)
		}
	}()
	s.end = sync.OnceFunc(func() {
		_ = ws.Close(websocket.StatusNormalClosure, "")
		cancel()
		<-done
	})
	tb.Cleanup(s.end)
	return s
}

func (s *Shown) take(frame []byte) {
	var result struct{ Version string }
	if json.Unmarshal(frame, &result) == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.version = result.Version
	}
}

// Version is that of the newest result.
func (s *Shown) Version() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// End closes the stream.
func (s *Shown) End() { s.end() }
