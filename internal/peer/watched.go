package peer

import (
	"context"
	"fmt"
	"net"
	"net/http"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"oc-scheduler/internal/scrape"
	"oc-scheduler/streams/nclprotocol"
)

// Watched opens an address with /livez, /readyz and /metrics, for whoever reaches it; without a host that is this
// machine. It is to be called before Run, and returns the address. It fails with a *ConfigError, or when the address is
// taken.
func (p *Peer) Watched(ctx context.Context, addr string) (string, error) {
	addr, err := scrape.Address(addr)
	if err != nil {
		return "", &ConfigError{fmt.Errorf("--listen: %w", err)}
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return "", fmt.Errorf("--listen: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "alive") })
	mux.HandleFunc("GET /readyz", p.ready)
	mux.Handle("GET /metrics", promhttp.HandlerFor(p.registry(), promhttp.HandlerOpts{}))
	p.watched = scrape.New(l, mux)
	return p.watched.Addr(), nil
}

// ready says whether the node takes orders: it is in touch with a scheduler.
func (p *Peer) ready(w http.ResponseWriter, _ *http.Request) {
	h := p.manager.GetHealth()
	if h.CurrentState == nclprotocol.Connected {
		_, _ = fmt.Fprintln(w, "ready") // who has gone does not care
		return
	}
	w.Header().Set("Retry-After", "2")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = fmt.Fprintf(w, "not ready: %v", h.CurrentState)
	if h.LastError != nil {
		_, _ = fmt.Fprintf(w, ": %v", h.LastError)
	}
	_, _ = fmt.Fprintln(w)
}

// registry has what is read when it is asked for.
func (p *Peer) registry() *prometheus.Registry {
	reg := prometheus.NewRegistry()
	gauge := func(name, help string, labels prometheus.Labels, f func() float64) {
		promauto.With(reg).NewGaugeFunc(prometheus.GaugeOpts{Name: "oc_scheduler_peer_" + name, Help: help, ConstLabels: labels}, f)
	}
	gauge("build_info", "Always 1; the label tells the version.", prometheus.Labels{"version": p.version}, func() float64 { return 1 })
	gauge("connected", "1 while the node is in touch with a scheduler.", nil, func() float64 {
		if p.manager.GetHealth().CurrentState == nclprotocol.Connected {
			return 1
		}
		return 0
	})
	const executions = "Executions that are here, by state."
	gauge("executions", executions, prometheus.Labels{"state": "running"}, func() float64 { running, _ := p.runner.here(); return float64(running) })
	gauge("executions", executions, prometheus.Labels{"state": "queued"}, func() float64 { _, queued := p.runner.here(); return float64(queued) })
	gauge("connection_failures", "Connections that failed in a row.", nil, func() float64 { return float64(p.manager.GetHealth().ConsecutiveFailures) })
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return reg
}

// tellManager tells the service manager that has started this process, if it wants to know (systemd, Type=notify).
func (p *Peer) tellManager(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		p.log.Warn("the service manager does not hear", "state", state, "error", err)
	}
}
