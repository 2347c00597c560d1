// Package natsd is the embedded NATS server with JetStream: one server in this process, on a
// directory that no other process may use at the same time, synced on every write. Outside tests it
// is the only importer of nats-server.
//
// The server runs while its store can be written. A stream that nats-server once failed to write takes
// nothing any more, without a word to those who publish, so a server with one is of no use: it is
// stopped, and started again on the same address when the store can be written. Clients see an outage.
package natsd

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"syscall"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// MaxPayload is the largest message that the server takes, in bytes: the 8 MiB of the bus, and room
// for the headers of a dead letter.
const MaxPayload = 9 << 20

// Off is the Options.Listen of a server for this process alone.
const Off = "off"

// Options say where the server listens and keeps its data.
type Options struct {
	Listen  string // host:port for clients; port 0 picks one; Off for none
	DataDir string // made when it is missing
	Log     *slog.Logger
}

// Server is a server that is kept running. Shutdown ends it.
type Server struct {
	opts *server.Options
	log  *slog.Logger
	url  string

	stop   context.CancelFunc // ends the keeping
	keeper sync.WaitGroup

	store *store // of Start, then of the keeper

	mu     sync.Mutex
	run    *run  // nil while it is stopped
	reason error // why it is
}

// Start runs a server and returns when it takes connections, or when its store is full: then it is
// started as soon as there is room, and Err says so. It fails when the address is taken or the
// directory can't be used, and when ctx ends first.
func Start(ctx context.Context, o Options) (*Server, error) {
	opts, err := o.server(ctx)
	if err != nil {
		return nil, err
	}
	s := &Server{opts: opts, log: o.Log, store: &store{path: o.DataDir}}
	err = s.begin(ctx)
	if Full(err) {
		s.tell(ctx, err)
		err = s.reserve(ctx)
	}
	if err != nil {
		s.end()
		return nil, err
	}
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.keeper.Go(func() { s.keep(ctx) })
	return s, nil
}

// Full says whether an error of the file system passes as soon as somebody makes room.
func Full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// ClientURL is where clients of this machine connect; "" when the server doesn't listen.
func (s *Server) ClientURL() string { return s.url }

// Err says why the server is stopped; nil while it runs.
func (s *Server) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run != nil {
		return nil
	}
	return s.reason
}

var _ nats.InProcessConnProvider = (*Server)(nil)

// InProcessConn connects to the server that runs now. It fails as Err says.
func (s *Server) InProcessConn() (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == nil {
		return nil, s.reason
	}
	return s.run.nats.InProcessConn()
}

// ConnOptions let a connection of this process reach the server without a socket.
func (s *Server) ConnOptions() []nats.Option {
	return []nats.Option{nats.InProcessServer(s)}
}

// Shutdown ends the server and returns when it has ended.
func (s *Server) Shutdown() {
	s.stop()
	s.keeper.Wait()
	s.end()
}
