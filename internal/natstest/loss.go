package natstest

import (
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"
)

// Lose has the server lose the next n messages that clients publish on a subject, which may end in ">",
// without a word, as a cluster loses requests while it elects a leader: more when they come fast. It returns how many it has
// lost so far. The server runs in this process.
func (s *Server) Lose(tb testing.TB, n int, subject string) (lost func() int) {
	tb.Helper()
	s.mu.Lock()
	e, ok := s.running.(embedded)
	s.mu.Unlock()
	if !ok {
		tb.Fatal("natstest: only a server that runs in this process loses messages")
	}
	var count atomic.Int64
	nowhere := nats.NewInbox() + "."
	nc := s.Connect(tb)
	_, err := nc.Subscribe(nowhere+">", func(*nats.Msg) { // else their senders would hear that nobody is there
		if int(count.Add(1)) == n {
			e.GlobalAccount().RemoveMapping(subject)
		}
	})
	if err == nil {
		err = nc.Flush()
	}
	if err == nil {
		err = e.GlobalAccount().AddMapping(subject, nowhere+subject)
	}
	if err != nil {
		tb.Fatalf("natstest: %v", err)
	}
	return func() int { return int(count.Load()) }
}
