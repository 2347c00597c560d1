// Package natsd is the embedded NATS server with JetStream: one server in this process, on a
// directory that no other process may use at the same time, synced on every write. Outside tests it
// is the only importer of nats-server.
package natsd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

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

// Server is a running server. Shutdown ends it.
type Server struct {
	nats   *server.Server
	unlock func()
	url    string
}

// Start runs a server and returns when it takes connections. It fails when the address is taken or
// the directory can't be used, and when ctx ends first.
func Start(ctx context.Context, o Options) (*Server, error) {
	opts, err := o.server(ctx)
	if err != nil {
		return nil, err
	}
	unlock, err := claim(o.DataDir)
	if err != nil {
		return nil, err
	}
	s := &Server{unlock: unlock}
	if err := s.start(ctx, opts, newBridge(ctx, o.Log)); err != nil {
		s.Shutdown()
		return nil, err
	}
	return s, nil
}

// server are the options as nats-server takes them.
func (o Options) server(ctx context.Context) (*server.Options, error) {
	opts := &server.Options{
		ServerName: "oc-scheduler",
		JetStream:  true,
		StoreDir:   o.DataDir,
		SyncAlways: true,
		MaxPayload: MaxPayload,
		NoSigs:     true,
	}
	if o.Listen == Off {
		opts.DontListen = true
		return opts, nil
	}
	host, port, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen address %q: must be host:port or %q", o.Listen, Off)
	}
	if opts.Port, err = net.DefaultResolver.LookupPort(ctx, "tcp", port); err != nil {
		return nil, fmt.Errorf("listen address %q: %w", o.Listen, err)
	}
	if opts.Port == 0 {
		opts.Port = server.RANDOM_PORT
	}
	opts.Host = host
	return opts, nil
}

// claim makes the directory ours, or says who it may belong to.
func claim(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	unlock, err = lock(dir)
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("data directory %s: %w", dir, err)
	}
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	return unlock, nil
}

func (s *Server) start(ctx context.Context, opts *server.Options, log *bridge) error {
	var err error
	if s.nats, err = server.NewServer(opts); err != nil {
		return err
	}
	s.nats.SetLoggerV2(log, false, false, false)
	s.nats.Start()
	const step = 50 * time.Millisecond // ReadyForConnections can't be interrupted
	for {
		select {
		case err := <-log.fatal:
			return err
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		if s.nats.ReadyForConnections(step) {
			break
		}
	}
	log.started()
	if !opts.DontListen {
		s.url = clientURL(s.nats.Addr())
	}
	return nil
}

// clientURL is an address as a client on this machine dials it.
func clientURL(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return "nats://" + a.String()
	}
	host := tcp.IP.String()
	if tcp.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "nats://" + net.JoinHostPort(host, fmt.Sprint(tcp.Port))
}

// ClientURL is where clients of this machine connect; "" when the server doesn't listen.
func (s *Server) ClientURL() string { return s.url }

// ConnOptions let a connection of this process reach the server without a socket.
func (s *Server) ConnOptions() []nats.Option {
	return []nats.Option{nats.InProcessServer(s.nats)}
}

// Shutdown ends the server and returns when it has ended.
func (s *Server) Shutdown() {
	if s.nats != nil {
		s.nats.Shutdown()
		s.nats.WaitForShutdown()
	}
	s.unlock()
}
