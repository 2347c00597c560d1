package fleettest

import (
	"context"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// Stream is a client with one check stream, which it opens again whenever it is closed.
type Stream struct {
	path  string
	where func(attempt int) string
	end   func()

	mu       sync.Mutex
	shown    map[string]int               // level by peer; -1: the planner is missing
	version  string                       // of the newest result
	closed   map[websocket.StatusCode]int // how often in which way; -1: without a close frame
	losses   []Loss
	returns  []time.Duration // from a close to the first frame of the next replica
	lastFail string
}

// Open opens a check stream on the replica whose URL where gives for an attempt, counted from 0, and
// again on the next one, until Close or the end of the test.
func Open(tb testing.TB, path string, where func(attempt int) string) *Stream {
	tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &Stream{path: path, where: where, shown: map[string]int{}, closed: map[websocket.StatusCode]int{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.run(ctx)
	}()
	s.end = sync.OnceFunc(func() { cancel(); <-done })
	tb.Cleanup(s.end)
	return s
}

// Close ends the stream as a client does that leaves.
func (s *Stream) Close() { s.end() }

func (s *Stream) run(ctx context.Context) {
	var left time.Time // when the last replica closed the stream
	for attempt := 0; ctx.Err() == nil; attempt++ {
		ws, err := s.dial(ctx, attempt)
		if err != nil {
			s.failed(ctx, err)
			continue
		}
		code := s.read(ctx, ws, left)
		_ = ws.Close(websocket.StatusNormalClosure, "") // it fails when it is closed already
		if ctx.Err() != nil {
			return
		}
		left = time.Now()
		s.mu.Lock()
		s.closed[code]++
		s.mu.Unlock()
	}
}

func (s *Stream) dial(ctx context.Context, attempt int) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	url := strings.Replace(s.where(attempt), "http", "ws", 1) + s.path
	ws, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: client, Subprotocols: []string{"oc.check.v1"}})
	return ws, err
}

// failed waits a little before the next attempt.
func (s *Stream) failed(ctx context.Context, err error) {
	s.mu.Lock()
	s.lastFail = err.Error()
	s.mu.Unlock()
	pause := time.NewTimer(20 * time.Millisecond)
	defer pause.Stop()
	select {
	case <-ctx.Done():
	case <-pause.C:
	}
}

// read takes frames until the stream is closed, and returns how.
func (s *Stream) read(ctx context.Context, ws *websocket.Conn, left time.Time) websocket.StatusCode {
	for first := true; ; first = false {
		// A read whose context ends would take the connection away without a goodbye.
		_, frame, err := readUntil(ctx, ws)
		if err != nil {
			return websocket.CloseStatus(err)
		}
		s.take(frame)
		if first && !left.IsZero() {
			s.mu.Lock()
			s.returns = append(s.returns, time.Since(left))
			s.mu.Unlock()
		}
	}
}

// readUntil reads a message, or says goodbye when ctx ends.
func readUntil(ctx context.Context, ws *websocket.Conn) (websocket.MessageType, []byte, error) {
	var leaving sync.WaitGroup
	leaving.Add(1)
	stop := context.AfterFunc(ctx, func() {
		defer leaving.Done()
		_ = ws.Close(websocket.StatusNormalClosure, "")
	})
	kind, frame, err := ws.Read(context.WithoutCancel(ctx))
	if !stop() {
		leaving.Wait()
	}
	return kind, frame, err
}

// Closed tells how often the stream was closed from the other side in which way; -1 stands for a
// connection that broke (1006).
func (s *Stream) Closed() map[websocket.StatusCode]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.closed)
}

// Returns are the times from each close to the first frame of the next replica.
func (s *Stream) Returns() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]time.Duration(nil), s.returns...)
}

// Current waits until all streams show the levels, and returns how long that took.
func Current(tb testing.TB, streams []*Stream, levels map[string]int) time.Duration {
	tb.Helper()
	return Until(tb, "all streams are current", func() string {
		for _, s := range streams {
			if lacks := s.Lacks(levels); lacks != "" {
				return lacks
			}
		}
		return ""
	})
}
