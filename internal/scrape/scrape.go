// Package scrape is a small HTTP server at an address of its own, for those who watch a process and have no token.
package scrape

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
)

// within bounds one scrape, and the wait for the last one at the end.
const within = 10 * time.Second

// Server answers on one listener.
type Server struct {
	listener net.Listener
	http     *http.Server
}

// Address is where to listen for an address that a flag gives: without a host on this machine alone, for nobody is asked
// who he is. It fails as net.SplitHostPort does.
func Address(flag string) (string, error) {
	host, port, err := net.SplitHostPort(flag)
	if err == nil && host == "" {
		return net.JoinHostPort("127.0.0.1", port), nil
	}
	return flag, err
}

// New returns a server on a listener, which is its own from here on; Serve must be called, or Close.
func New(l net.Listener, handler http.Handler) *Server {
	return &Server{l, &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: within,
		ReadTimeout:       within,
		WriteTimeout:      within,
		IdleTimeout:       2 * time.Minute, // longer than the usual time between two scrapes
		MaxHeaderBytes:    32 << 10,
	}}
}

// Addr is where it listens.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Close ends it without a word.
func (s *Server) Close() error { return s.listener.Close() }

// Serve answers until ctx ends, and what is asked then to its end.
func (s *Server) Serve(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	g.Go(func() error {
		<-ctx.Done()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
		defer cancel()
		if err := s.http.Shutdown(ctx); err != nil {
			return s.http.Close() // who is so slow is cut
		}
		return nil
	})
	return g.Wait()
}
