package app

import (
	"context"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"oc-scheduler/httpapi"
	"oc-scheduler/internal/scrape"
)

// openScrapes opens an address with /metrics, and nothing else there: for a Prometheus that has no token.
func openScrapes(ctx context.Context, addr string, reg *prometheus.Registry) (*scrape.Server, error) {
	addr, err := scrape.Address(addr)
	if err != nil {
		return nil, &ConfigError{flag("--metrics-listen", err)}
	}
	l, err := listen(ctx, "--metrics-listen", addr)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", httpapi.Exposition(reg))
	return scrape.New(l, mux), nil
}
