// Package natstest runs real NATS servers with JetStream inside a test: alone or as a cluster, in
// the process of the test or in processes that can be killed, each on a directory of its own and on
// a port that stays the same over restarts. Proxies in front of them cut, hold and delay links.
package natstest

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// patience bounds every wait for a server: far above what a loaded machine takes.
const patience = 2 * time.Minute

// Server is a NATS server that can be stopped and started again with what it has stored.
type Server struct {
	opts  server.Options
	begin func(server.Options) (runner, error)

	mu      sync.Mutex
	running runner // nil while stopped
}

// runner is a server that runs.
type runner interface {
	stop() // as an operator would
	kill() // as kill -9 does, where that is possible
}

// Start runs a server with JetStream in this process until the test ends. Each change adjusts its
// options.
func Start(tb testing.TB, change ...func(*server.Options)) *Server {
	tb.Helper()
	return launch(tb, embed, change...)
}

func launch(tb testing.TB, begin func(server.Options) (runner, error), change ...func(*server.Options)) *Server {
	tb.Helper()
	s := &Server{begin: begin, opts: server.Options{
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
	if s.opts.Port == server.RANDOM_PORT {
		s.opts.Port = freePorts(tb, 1)[0]
	}
	tb.Cleanup(s.Stop)
	s.Restart(tb)
	return s
}

// Name is the server's, as streams and the monitoring name it.
func (s *Server) Name() string { return s.opts.ServerName }

// Running says whether the server has been started and not stopped or killed since.
func (s *Server) Running() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running != nil
}

// Stop ends the server as an operator would; what it stored stays. A stopped server stays stopped.
func (s *Server) Stop() {
	if r := s.take(); r != nil {
		r.stop()
	}
}

// Kill ends the server as kill -9 does; one that runs in this process is stopped.
func (s *Server) Kill() {
	if r := s.take(); r != nil {
		r.kill()
	}
}

func (s *Server) take() runner {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.running
	s.running = nil
	return r
}

// Restart stops the server when it runs and starts it on the same port and directory.
func (s *Server) Restart(tb testing.TB) {
	tb.Helper()
	s.Stop()
	running, err := s.begin(s.opts)
	if err != nil {
		tb.Fatalf("natstest: %s: %v", s.opts.ServerName, err)
	}
	s.mu.Lock()
	s.running = running
	s.mu.Unlock()
}

// URL is where clients connect; it stays the same over restarts.
func (s *Server) URL() string { return "nats://" + s.Addr() }

// Addr is the host and port of URL.
func (s *Server) Addr() string { return local(s.opts.Port) }

// Connect opens a connection that outlives restarts of the server and buffers nothing while it is
// down, as the product's own do; opts come after these. It is closed when the test ends.
func (s *Server) Connect(tb testing.TB, opts ...nats.Option) *nats.Conn {
	tb.Helper()
	return connect(tb, s.URL(), opts...)
}

func connect(tb testing.TB, urls string, opts ...nats.Option) *nats.Conn {
	tb.Helper()
	closed := make(chan struct{})
	all := append([]nats.Option{
		nats.MaxReconnects(-1),
		nats.ReconnectWait(50 * time.Millisecond),
		nats.ReconnectJitter(20*time.Millisecond, 20*time.Millisecond),
		nats.ReconnectBufSize(-1),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // the library's own writes to the output
		nats.ClosedHandler(func(*nats.Conn) { close(closed) }),
	}, opts...)
	nc, err := nats.Connect(urls, all...)
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

// Eventually waits until ok is true, asking again and again, and fails the test when that
// does not come about; what names the awaited condition.
func Eventually(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	if err := wait(ok); err != nil {
		tb.Fatalf("natstest: %s: %v", what, err)
	}
}

func wait(ok func() bool) error {
	for begin := time.Now(); ; {
		look := time.Now()
		if ok() {
			return nil
		}
		if time.Since(begin) > patience {
			return errors.New("did not come about")
		}
		time.Sleep(Rest(time.Since(look)))
	}
}

// Rest is how long to wait before the next look at what shall come about: looking takes a quarter of the
// time at most, for what is looked for needs the machine, too.
func Rest(look time.Duration) time.Duration {
	return min(max(5*time.Millisecond, 3*look), 250*time.Millisecond)
}
