package carry_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"oc-scheduler/httpapi/carry"
)

// more is one more than those who write at once, twice over.
func more() int { return 2*runtime.GOMAXPROCS(0) + 1 }

// stuck is a source whose every Poll takes until the gate opens, as a costly evaluation may.
type stuck struct {
	feed
	gate chan struct{}
}

func (s *stuck) Poll() (carry.Frame, bool, error) {
	<-s.gate
	return s.feed.Poll()
}

func TestCostlySourcesHoldUpNobody(t *testing.T) {
	t.Parallel()
	gate, quick := make(chan struct{}), (&feed{}).say(data("one"))
	s := newSite(t, carry.Config{}, func(name string) carry.Conversation {
		if name == "stuck" {
			return &stuck{gate: gate}
		}
		return quick
	})
	for range more() {
		s.dial(t, "/ws?source=stuck", nil)
	}
	conn := s.dial(t, "/ws", nil)
	receive(t, conn)
	quick.say(data("two"))
	receive(t, conn)
	close(gate)
}

// restless is a source that always has more to say, which takes longer than a client to read it.
type restless struct{ feed }

func (s *restless) Poll() (carry.Frame, bool, error) {
	<-time.After(100 * time.Microsecond)
	s.wake()
	return data("more"), true, nil
}

func TestSourcesThatAlwaysHaveMoreToSayLetOthersSpeak(t *testing.T) {
	t.Parallel()
	s := newSite(t, carry.Config{}, func(name string) carry.Conversation {
		if name == "restless" {
			return &restless{}
		}
		return (&feed{}).say(data("one"))
	})
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	for range more() {
		conn := s.dial(t, "/ws?source=restless", nil)
		receive(t, conn)
		all.Go(func() {
			for ctx.Err() == nil {
				if _, _, err := conn.Read(ctx); err != nil {
					return
				}
			}
		})
	}
	for range 3 {
		receive(t, s.dial(t, "/ws", nil))
	}
}

// TestClientsThatDoNotReadHoldUpNobody: each is stuck in a frame larger than what the kernel keeps, and none
// is cut while this lasts.
func TestClientsThatDoNotReadHoldUpNobody(t *testing.T) {
	t.Parallel()
	large, quick := data(strings.Repeat("x", 1<<20)), &feed{}
	s := newSite(t, carry.Config{WriteWithin: 3 * patience}, func(name string) carry.Conversation {
		if name == "large" {
			return (&feed{}).say(large)
		}
		return quick
	})
	conn := s.dial(t, "/ws", nil)
	for range more() {
		s.dial(t, "/ws?source=large", &websocket.DialOptions{HTTPClient: deaf(t)})
	}
	for _, text := range []string{"one", "two", "three"} {
		quick.say(data(text))
		if got := receive(t, conn); got != text {
			t.Errorf("%q", got)
		}
	}
}

func TestClientThatDoesNotReadIsCutAndCostsNobody(t *testing.T) {
	t.Parallel()
	slow, quick := (&feed{}).say(data(strings.Repeat("x", 1<<20)), data("never")), &feed{}
	s := newSite(t, carry.Config{WriteWithin: 300 * time.Millisecond}, func(name string) carry.Conversation {
		if name == "slow" {
			return slow
		}
		return quick
	})
	conn := s.dial(t, "/ws", nil)
	s.dial(t, "/ws?source=slow", &websocket.DialOptions{HTTPClient: deaf(t)})
	s.ends(t, carry.WebSocket, "slow", 1)
	slow.isClosed(t)
	quick.say(data("one"))
	receive(t, conn)
}
