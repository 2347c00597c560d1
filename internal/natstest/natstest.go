// Package natstest runs real NATS servers with JetStream inside a test: on a directory of their
// own, on a port that stays the same over restarts.
package natstest

import (
	"errors"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// patience bounds every wait for a server: far above what a loaded machine takes.
const patience = 30 * time.Second

// Server is a NATS server that can be stopped and started again with what it has stored.
type Server struct {
	opts server.Options

	mu      sync.Mutex
	running *server.Server
}

// Start runs a server with JetStream until the test ends. Each change adjusts its options.
func Start(tb testing.TB, change ...func(*server.Options)) *Server {
	tb.Helper()
	s := &Server{opts: server.Options{
		ServerName: "natstest",
		Host:       "127.0.0.1",
		Port:       server.RANDOM_PORT,
		JetStream:  true,
		StoreDir:   tb.TempDir(),
		MaxPayload: 9 << 20,
		NoLog:      true,
		NoSigs:     true,
	}}
	for _, f := range change {
		f(&s.opts)
	}
	s.Restart(tb)
	tb.Cleanup(s.Stop)
	return s
}

// Stop ends the server as an operator would; what it stored stays. A stopped server stays stopped.
func (s *Server) Stop() {
	s.mu.Lock()
	running := s.running
	s.running = nil
	s.mu.Unlock()
	if running != nil {
		running.Shutdown()
		running.WaitForShutdown()
	}
}

// Restart stops the server when it runs and starts it on the same port and directory.
func (s *Server) Restart(tb testing.TB) {
	tb.Helper()
	s.Stop()
	opts := s.opts // the server keeps and changes what it is given
	running, err := server.NewServer(&opts)
	if err != nil {
		tb.Fatalf("natstest: %v", err)
	}
	running.Start()
	if !running.ReadyForConnections(patience) {
		tb.Fatal("natstest: the server does not accept connections")
	}
	if addr, ok := running.Addr().(*net.TCPAddr); ok {
		s.opts.Port = addr.Port
	}
	s.mu.Lock()
	s.running = running
	s.mu.Unlock()
}

// URL is where clients connect; it stays the same over restarts.
func (s *Server) URL() string {
	return "nats://" + net.JoinHostPort(s.opts.Host, strconv.Itoa(s.opts.Port))
}

// Connect opens a connection that outlives restarts of the server and buffers nothing while it is
// down, as the product's own do; opts come after these. It is closed when the test ends.
func (s *Server) Connect(tb testing.TB, opts ...nats.Option) *nats.Conn {
	tb.Helper()
	closed := make(chan struct{})
	all := append([]nats.Option{
		nats.MaxReconnects(-1),
		nats.ReconnectWait(50 * time.Millisecond),
		nats.ReconnectJitter(20*time.Millisecond, 20*time.Millisecond),
		nats.ReconnectBufSize(-1),
		nats.ClosedHandler(func(*nats.Conn) { close(closed) }),
	}, opts...)
	nc, err := nats.Connect(s.URL(), all...)
	if err != nil {
		tb.Fatalf("natstest: %v", err)
	}
	tb.Cleanup(func() {
		nc.Close()
		select {
		case <-closed:
		case <-time.After(patience):
			tb.Error("natstest: the connection does not close")
		}
	})
	return nc
}

// JetStream opens a connection as Connect does and returns its JetStream context.
func (s *Server) JetStream(tb testing.TB, opts ...nats.Option) jetstream.JetStream {
	tb.Helper()
	js, err := jetstream.New(s.Connect(tb, opts...))
	if err != nil {
		tb.Fatalf("natstest: %v", err)
	}
	return js
}

// Eventually waits until ok is true, asking every few milliseconds, and fails the test when that
// does not come about; what names the awaited condition.
func Eventually(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	if err := wait(ok); err != nil {
		tb.Fatalf("natstest: %s: %v", what, err)
	}
}

func wait(ok func() bool) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			return errors.New("did not come about")
		}
	}
	return nil
}
