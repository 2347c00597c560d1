package carry_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"oc-scheduler/httpapi/carry"
	"oc-scheduler/internal/natstest"
)

func TestASocketCarriesBothWays(t *testing.T) {
	t.Parallel()
	source := (&feed{}).say(data("one"), data(strings.Repeat("x", 100_000)))
	s := newSite(t, carry.Config{}, always(source))
	conn := s.dial(t, "/ws", &websocket.DialOptions{Subprotocols: []string{protocol}})
	if conn.Subprotocol() != protocol {
		t.Errorf("subprotocol is %q", conn.Subprotocol())
	}
	conn.SetReadLimit(1 << 20)
	if first, second := receive(t, conn), receive(t, conn); first != "one" || len(second) != 100_000 {
		t.Errorf("%q, then %d bytes", first, len(second))
	}
	send(t, conn, "hello")
	natstest.Eventually(t, "the source hears it", func() bool {
		source.mu.Lock()
		defer source.mu.Unlock()
		return len(source.heard) == 1 && source.heard[0] == "hello"
	})
	source.say(data("three"))
	if third := receive(t, conn); third != "three" {
		t.Errorf("%q", third)
	}
}

func TestHowASocketEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path   string
		happen func(*feed, *websocket.Conn) error
		code   websocket.StatusCode
		reason string
	}{
		"by its source": {"/ws", func(f *feed, _ *websocket.Conn) error { f.over(&carry.Ending{Code: 4401, Reason: "over"}); return nil }, 4401, "over"},
		"by a fault":    {"/ws", func(f *feed, _ *websocket.Conn) error { f.over(errors.New("broken")); return nil }, 1011, "fault here"},
		"by a panic":    {"/ws", func(f *feed, _ *websocket.Conn) error { f.say(data("panic")); return nil }, 1011, "fault here"},
		"by a message": {"/talk", func(_ *feed, c *websocket.Conn) error {
			return c.Write(context.Background(), websocket.MessageText, []byte("stop"))
		}, 4400, "say something"},
		"by a long message": {"/ws", func(_ *feed, c *websocket.Conn) error {
			return c.Write(context.Background(), websocket.MessageText, make([]byte, 1001))
		}, 1009, "read limited at 1001 bytes"},
		"by silence": {"/talk", func(*feed, *websocket.Conn) error { return nil }, 4400, "say something"},
	} {
		source := &feed{}
		s := newSite(t, carry.Config{MaxMessage: 1000, FirstMessage: 200 * time.Millisecond}, always(source))
		conn := s.dial(t, c.path, nil)
		if err := c.happen(source, conn); err != nil {
			t.Fatal(err)
		}
		if code, reason := closed(t, conn); code != c.code || reason != c.reason {
			t.Errorf("%s: %d %q", name, code, reason)
		}
		source.isClosed(t)
		s.ends(t, carry.WebSocket, fmt.Sprint(int(c.code)), 1)
	}
}

func TestWhoHasSpokenIsNotSilent(t *testing.T) {
	t.Parallel()
	source := &feed{}
	s := newSite(t, carry.Config{FirstMessage: 100 * time.Millisecond}, always(source))
	conn := s.dial(t, "/talk", nil)
	send(t, conn, "hello")
	<-time.After(200 * time.Millisecond) // twice what it had
	source.say(data("one"))
	if got := receive(t, conn); got != "one" {
		t.Errorf("%q", got)
	}
}

func TestASourceThatGetsNoSocketIsClosed(t *testing.T) {
	t.Parallel()
	source := &feed{}
	s := newSite(t, carry.Config{}, always(source))
	if response := s.get(t, "/ws"); response.status != http.StatusBadRequest {
		t.Errorf("a plain GET is answered %d", response.status)
	}
	source.isClosed(t)
	var refused *carry.HandshakeError
	s.note(func() {
		if len(s.refused) != 1 || !errors.As(s.refused[0], &refused) || refused.Status != http.StatusBadRequest {
			t.Errorf("refused with %v", s.refused)
		}
	})
	if n := s.Streams(); n != 0 {
		t.Errorf("%d streams", n)
	}
}

func TestPingsKeepAStreamThatGoesOn(t *testing.T) {
	t.Parallel()
	source := &feed{}
	s := newSite(t, carry.Config{PingEvery: 10 * time.Millisecond}, always(source))
	var pings atomic.Int32
	conn := s.dial(t, "/ws", &websocket.DialOptions{OnPingReceived: func(context.Context, []byte) bool { pings.Add(1); return true }})
	frames := make(chan error)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	go func() {
		_, _, err := conn.Read(ctx)
		frames <- err
	}()
	natstest.Eventually(t, "pings come", func() bool { return pings.Load() >= 5 })
	source.say(data("one"))
	if err := <-frames; err != nil {
		t.Error(err)
	}
}

func TestClientWithoutPongIsCut(t *testing.T) {
	t.Parallel()
	source := &feed{}
	s := newSite(t, carry.Config{PingEvery: 20 * time.Millisecond, PongWithin: 50 * time.Millisecond}, always(source))
	conn := s.dial(t, "/ws", &websocket.DialOptions{OnPingReceived: func(context.Context, []byte) bool { return false }})
	if code, _ := closed(t, conn); code != -1 {
		t.Errorf("a close frame came: %d", code)
	}
	s.ends(t, carry.WebSocket, "no_pong", 1)
	source.isClosed(t)
}

func TestDrainCutsClientsThatDontAnswer(t *testing.T) {
	t.Parallel()
	source := &feed{}
	s := newSite(t, carry.Config{}, always(source))
	s.dial(t, "/ws", &websocket.DialOptions{HTTPClient: deaf(t)}) // never reads, so it never answers the close frame
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := s.Drain(ctx); err == nil {
		t.Fatal("drained, although a client has not answered")
	}
	s.ends(t, carry.WebSocket, "1012", 1)
	source.isClosed(t)
	if _, err := s.Admit("192.0.2.1"); !errors.Is(err, carry.Draining) {
		t.Errorf("while draining: %v", err)
	}
}
