package natsd

import (
	"context"
	"fmt"
	"math"
	"net"

	"github.com/nats-io/nats-server/v2/server"
)

// server are the options as nats-server takes them.
func (o Options) server(ctx context.Context) (*server.Options, error) {
	opts := &server.Options{
		ServerName: "oc-scheduler",
		JetStream:  true,
		StoreDir:   o.DataDir,
		SyncAlways: true,
		MaxPayload: MaxPayload,
		NoSigs:     true,
		// The disk is the limit. By itself the server takes three quarters of what is free when it
		// starts: on a disk that was nearly full then, nothing is stored when it is empty again.
		JetStreamMaxStore: math.MaxInt64,
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

// reserve settles where a server will listen that is not started yet.
func (s *Server) reserve(ctx context.Context) error {
	if s.opts.DontListen {
		return nil
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(s.opts.Host, fmt.Sprint(max(s.opts.Port, 0))))
	if err != nil {
		return err
	}
	s.listens(l.Addr())
	return l.Close()
}

// listens notes where clients find the server, also the next one.
func (s *Server) listens(a net.Addr) {
	s.url = clientURL(a)
	if tcp, ok := a.(*net.TCPAddr); ok {
		s.opts.Port = tcp.Port
	}
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
