package httpapi

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"oc-scheduler/httpapi/auth"
	"oc-scheduler/httpapi/carry"
	"oc-scheduler/httpapi/live"
	"oc-scheduler/httpapi/ui"
	"oc-scheduler/store/access"
)

const (
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 32 << 10
)

// Server serves the HTTP interface. It answers from the first moment: before Attach with 503, but
// for the routes of operators.
type Server struct {
	cfg     Config
	origins origins
	names   names
	log     *slog.Logger
	metrics *metrics
	parts   atomic.Pointer[Parts]
	retired atomic.Bool
	carry   *carry.Carriers
	lookups *lookups
	auth    *auth.Guard                          // nil: nobody has to say who he is
	rates   struct{ subjects, strangers *rates } // apart, so that a crowd of addresses takes no subject's place
	needed  map[place]access.Right               // by route
	doubts  *lookups                             // of tokens and sessions
	site    *ui.Site
	http    *http.Server
	idle    *idle

	executions, runs, schedules changes    // in the views
	shown                       changes    // of what pages show: see ui.Of
	views                       live.Views // that somebody looks at
}

// New builds a server. checks gives the present conditions of readiness each time it is called;
// reg may be nil. The error is what Config.Validate says.
func New(cfg Config, checks func() []Check, log *slog.Logger, reg *prometheus.Registry) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	s := &Server{
		cfg:     cfg,
		origins: cfg.AllowOrigins,
		names:   namesOf(cfg.AllowOrigins),
		log:     log.With("component", "httpapi"),
		lookups: newLookups(lookupsPerSecond),
		doubts:  newLookups(doubtsPerSecond),
		idle:    newIdle(maxIdle, maxIdleOfOne),
	}
	s.rates.subjects = newRates(cfg.ReadsPerSecond, cfg.WritesPerSecond, time.Now)
	s.rates.strangers = newRates(cfg.ReadsPerSecond, cfg.WritesPerSecond, time.Now)
	var registerer prometheus.Registerer
	if reg != nil { // a nil pointer in an interface is not nil
		registerer = reg
	}
	s.metrics = newMetrics(registerer)
	s.carry = carry.New(cfg.Streams, carry.Hooks{Wrote: s.metrics.wrote, Panicked: s.panicked}, s.log, registerer)
	if cfg.Auth {
		s.auth = auth.New(time.Now, cfg.Issuer)
	}
	s.site = s.newSite()
	handler, err := s.echo(checks, reg)
	if err != nil {
		return nil, err
	}
	s.http = &http.Server{
		Handler:           proxies(cfg.TrustedProxies).ahead(handler),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       cfg.ReadTimeout,
		WriteTimeout:      cfg.WriteTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ConnState:         s.connected,
		// Its answer would lack an identification; rescue has another.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	return s, nil
}

// Attach gives the server what it serves. It may be called while serving, and has to be called once.
func (s *Server) Attach(parts Parts) {
	if parts.Executions != nil {
		parts.Executions.OnChange(s.executions.changed)
	}
	if parts.Plan != nil {
		parts.Plan.Runs().OnChange(s.runs.changed)
		parts.Plan.Schedules().OnChange(s.schedules.changed)
		parts.Risks.OnChange(s.schedules.changed)
	}
	s.tell(&parts)
	if s.auth != nil {
		s.auth.Attach(s.knows(&parts))
	}
	s.parts.Store(&parts)
}

// Serve answers on the listener until Shutdown; it blocks, and returns nil after a Shutdown.
func (s *Server) Serve(l net.Listener) error {
	if err := s.http.Serve(refusals{l, s.log}); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ServeTLS is Serve over TLS, by HTTP/2 where a client can.
func (s *Server) ServeTLS(l net.Listener, cfg *tls.Config) error {
	s.http.TLSConfig = cfg
	if err := s.http.ServeTLS(carry.UnderTLS(l), "", ""); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// Streams is how many streams are open, of answers and of output.
func (s *Server) Streams() int { return s.carry.Streams() }

// Retire turns /readyz to 503, so that load balancers send no more clients; all else goes on.
func (s *Server) Retire() { s.retired.Store(true) }

// Drain refuses new streams with 503 and closes the open ones with 1012, spread so that their clients
// don't come back elsewhere all at once. It returns when the last has gone, or with the context's
// error after having cut those that were left.
func (s *Server) Drain(ctx context.Context) error {
	s.Retire()
	err := s.carry.Drain(ctx)
	if err == nil {
		s.views.Wait()
	}
	return err
}

// Shutdown stops listening and waits for the requests in flight; those that outlast the context are
// cut, and its error is returned. Call Drain first: streams would be waited for.
func (s *Server) Shutdown(ctx context.Context) error {
	s.Retire()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	return err
}

// echo wires routes and middleware.
func (s *Server) echo(checks func() []Check, gatherer *prometheus.Registry) (*echo.Echo, error) {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.IPExtractor = echo.ExtractIPDirect() // X-Forwarded-For is anybody's to write
	e.HTTPErrorHandler = s.answerError
	e.Use(s.around, s.patient)
	if len(s.origins) > 0 {
		e.Use(s.origins.cors())
	}
	if s.auth != nil {
		e.Use(s.authorize)
	}
	h := health{checks: checks, retiring: s.retired.Load, require: s.require}
	if gatherer != nil {
		h.observe(gatherer)
	}
	if err := s.register(e, slices.Concat(s.routes(h, exposition(gatherer)), s.bookingRoutes(), s.runRoutes(), s.pages())); err != nil {
		return nil, err
	}
	return e, nil
}
