package app

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"oc-scheduler/httpapi"
	"oc-scheduler/httpapi/issuer"
	"oc-scheduler/internal/natsd"
	"oc-scheduler/internal/scrape"
)

// Run serves one replica until ctx ends, and then drains it. A *ConfigError says that an operator
// has to act; it may come at any time, for what is wrong may show only when NATS answers.
func Run(ctx context.Context, cfg Config, log *slog.Logger) error {
	r, err := New(ctx, cfg, log)
	if err != nil {
		return err
	}
	return r.Run(ctx)
}

// Replica is one oc-scheduler. Its HTTP side answers from the first moment of Run; what needs NATS
// is built behind it as soon as NATS can be reached.
type Replica struct {
	cfg Config
	log *slog.Logger
	reg *prometheus.Registry

	certificate *certificate // nil: no TLS
	listener    net.Listener
	scrapes     *scrape.Server // nil: /metrics has no address of its own
	http        *httpapi.Server
	issuer      *issuer.Issuer // nil: nobody vouches for people
	embedded    *natsd.Server  // nil when NATS is elsewhere
	nc          *nats.Conn
	permits     *permits
	engine      atomic.Pointer[engine] // nil until NATS has answered
	opening     atomic.Pointer[error]  // what the last attempt to build the engine failed with
	ready       chan struct{}
	first       *firstToken // nil until one is to be made
}

// New opens the addresses of a replica, and its NATS connection, which need not succeed yet. Run
// must be called; it releases them.
func New(ctx context.Context, cfg Config, log *slog.Logger) (*Replica, error) {
	if err := cfg.Validate(); err != nil {
		return nil, &ConfigError{err}
	}
	if err := cfg.checkFiles(); err != nil { // before anything that may fail for another reason
		return nil, &ConfigError{err}
	}
	if cfg.ReplicaID == "" {
		cfg.ReplicaID = replicaID()
	}
	r := &Replica{
		cfg:   cfg,
		log:   log.With("replica", cfg.ReplicaID),
		reg:   newRegistry(cfg.Version),
		ready: make(chan struct{}),
	}
	if err := r.open(ctx); err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

// replicaID is the host's name with a suffix that no other process has.
func replicaID() string {
	host, err := os.Hostname()
	if err != nil || checkReplicaID(host+"-12345678") != nil {
		host = "replica"
	}
	return host + "-" + strings.ToLower(rand.Text()[:8])
}

func (r *Replica) open(ctx context.Context) (err error) {
	if err = retract("--ready-file", r.cfg.ReadyFile); err != nil {
		return &ConfigError{err}
	}
	if r.issuer, err = r.cfg.openIssuer(r.log); err != nil {
		return &ConfigError{err}
	}
	cfg := r.cfg.http()
	cfg.Issuer = r.issuer
	if r.http, err = httpapi.New(cfg, r.checks, r.log, r.reg); err != nil {
		return &ConfigError{err}
	}
	if r.cfg.TLSCert != "" {
		if r.certificate, err = loadCertificate(r.cfg.TLSCert, r.cfg.TLSKey, r.log); err != nil {
			return &ConfigError{flag("--tls-cert, --tls-key", err)}
		}
	}
	if r.listener, err = listen(ctx, "--listen", r.cfg.Listen); err != nil {
		return err
	}
	if r.cfg.MetricsListen != "" {
		if r.scrapes, err = openScrapes(ctx, r.cfg.MetricsListen, r.reg); err != nil {
			return err
		}
	}
	if r.cfg.Embedded() {
		if r.embedded, err = startNATS(ctx, r.cfg, r.log); err != nil {
			return err
		}
	}
	if r.nc, err = r.Connect(ctx, r.cfg.ReplicaID); err != nil {
		return err
	}
	r.permits = watchPermits(r.nc, r.log)
	return r.announce(ctx)
}

// announce tells where the replica is, for people and for scripts.
func (r *Replica) announce(ctx context.Context) error {
	r.log.InfoContext(ctx, "listening", "http", r.listener.Addr().String(), "nats", r.NATSURL(), "version", r.cfg.Version)
	err := announce("--listen-file", r.cfg.ListenFile, r.listener.Addr().String())
	if r.embedded != nil {
		err = errors.Join(err, announce("--nats-listen-file", r.cfg.NATSListenFile, r.NATSURL()))
	}
	if r.scrapes != nil {
		r.log.InfoContext(ctx, "listening for scrapes", "metrics", r.scrapes.Addr())
		err = errors.Join(err, announce("--metrics-listen-file", r.cfg.MetricsListenFile, r.scrapes.Addr()))
	}
	if err != nil {
		return &ConfigError{err}
	}
	return nil
}

// URL is where the replica answers HTTP, as a client on this machine reaches it.
func (r *Replica) URL() string {
	addr := r.listener.Addr().String()
	if tcp, ok := r.listener.Addr().(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		addr = net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
	}
	if r.certificate != nil {
		return "https://" + addr
	}
	return "http://" + addr
}

// NATSURL is where the embedded server accepts clients; empty when it does not, or is not there.
func (r *Replica) NATSURL() string {
	if r.embedded == nil {
		return ""
	}
	return r.embedded.ClientURL()
}

// Connect opens a connection of the caller's own to the NATS server that the replica uses.
func (r *Replica) Connect(ctx context.Context, name string) (*nats.Conn, error) {
	return connect(ctx, r.cfg, name, r.embedded, r.log)
}

// Ready is closed when the replica is ready for the first time.
func (r *Replica) Ready() <-chan struct{} { return r.ready }

// Run serves until ctx ends and then drains, or until a part fails for good. It blocks.
func (r *Replica) Run(ctx context.Context) (err error) {
	var began time.Time // of the end
	var closed int
	defer func() {
		err = errors.Join(err, r.close())
		r.log.InfoContext(ctx, "stopped", "streams_closed", closed, "took", time.Since(began).Round(time.Millisecond).String())
	}()
	work, stop := context.WithCancel(context.WithoutCancel(ctx)) // a signal begins a drain, it does not end the work
	defer stop()
	g, work := errgroup.WithContext(work)
	g.Go(func() error { return r.serve(work) })
	g.Go(func() error { return r.permits.watch(work) })
	if r.scrapes != nil {
		g.Go(func() error { return r.scrapes.Serve(work) })
	}
	if r.issuer != nil {
		g.Go(func() error { return r.issuer.Run(work) })
	}
	g.Go(func() error { return r.runEngine(work) })
	g.Go(func() error { return r.awaitReady(work) })
	select {
	case <-ctx.Done():
		began = time.Now()
		closed = r.drain(work)
	case <-work.Done(): // a part failed: nothing is left to wait for
		began = time.Now()
		closed = r.halt(work)
	}
	stop()
	return g.Wait()
}

// serve answers HTTP until it is shut down, over TLS where there is a certificate.
func (r *Replica) serve(ctx context.Context) error {
	if r.certificate == nil {
		return r.http.Serve(r.listener)
	}
	g, ctx := errgroup.WithContext(ctx)
	watching, stop := context.WithCancel(ctx)
	g.Go(func() error { return r.certificate.watch(watching) })
	g.Go(func() error {
		defer stop()
		return r.http.ServeTLS(r.listener, r.certificate.config())
	})
	return g.Wait()
}

// close releases what open opened, in reverse. It may be called on a replica that is half open.
func (r *Replica) close() error {
	if r.nc != nil {
		r.nc.Close()
	}
	if r.embedded != nil {
		r.embedded.Shutdown()
	}
	var errs []error
	if r.scrapes != nil {
		errs = append(errs, ended(r.scrapes.Close()))
	}
	if r.listener != nil {
		errs = append(errs, ended(r.listener.Close()))
	}
	return errors.Join(errs...)
}

// ended is the error of closing a listener, which may be closed.
func ended(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
