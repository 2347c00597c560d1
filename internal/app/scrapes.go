package app

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"oc-scheduler/httpapi"
)

// scrapeWithin bounds one scrape, and the wait for the last one at the end.
const scrapeWithin = 10 * time.Second

// scrapes is /metrics at an address of its own, and nothing else there: for a Prometheus that has no token.
type scrapes struct {
	listener net.Listener
	http     *http.Server
}

// openScrapes opens the address; without a host it is one of this machine alone, for nobody is asked who he is.
func openScrapes(ctx context.Context, addr string, reg *prometheus.Registry) (*scrapes, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, &ConfigError{flag("--metrics-listen", err)}
	}
	if host == "" {
		addr = net.JoinHostPort("127.0.0.1", port)
	}
	l, err := listen(ctx, "--metrics-listen", addr)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", httpapi.Exposition(reg))
	return &scrapes{l, &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: scrapeWithin,
		ReadTimeout:       scrapeWithin,
		WriteTimeout:      scrapeWithin,
		IdleTimeout:       2 * time.Minute, // longer than the usual time between two scrapes
		MaxHeaderBytes:    32 << 10,
	}}, nil
}

func (s *scrapes) address() string { return s.listener.Addr().String() }

// serve answers until ctx ends, that is also while the replica drains.
func (s *scrapes) serve(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	g.Go(func() error {
		<-ctx.Done()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), scrapeWithin)
		defer cancel()
		if err := s.http.Shutdown(ctx); err != nil {
			return s.http.Close() // who is so slow is cut
		}
		return nil
	})
	return g.Wait()
}
