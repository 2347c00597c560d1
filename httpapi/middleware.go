package httpapi

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/carry"
)

// around is what surrounds every handler: one function, for echo builds its chain anew for each request.
// The order matters: every answer bears the identification, also those for panics, and what is measured
// is what was sent.
func (s *Server) around(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		began := time.Now()
		identify(c)
		if err := s.rescue(c, next); err != nil {
			c.Error(err)
		}
		s.observe(c, time.Since(began))
		return nil
	}
}

// identify gives every answer an X-Request-ID: the client's own where it is sane, so that a request
// can be followed through proxies, else a new one, which nobody has to be unable to guess. It also sets the
// headers that every answer bears.
func identify(c echo.Context) {
	requestID := c.Request().Header.Get(echo.HeaderXRequestID)
	if !saneRequestID(requestID) {
		requestID = newRequestID()
	}
	h := c.Response().Header()
	h[echo.HeaderXRequestID] = []string{requestID}
	h[echo.HeaderXContentTypeOptions] = nosniff
	// Where a proxy speaks TLS, this is for the proxy to say; and a browser minds no port: it would stay away from all that
	// serves on this machine's own name.
	if c.Request().TLS != nil && !isLocalhost(c.Request().Host) {
		h[echo.HeaderStrictTransportSecurity] = staysSecure
	}
}

func isLocalhost(host string) bool {
	return host == "localhost" || strings.HasPrefix(host, "localhost:")
}

func newRequestID() string { return strconv.FormatUint(rand.Uint64(), 36) }

// saneRequestID keeps out what could forge log lines or bloat them.
func saneRequestID(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// observe logs each request at debug and measures those that are no streams.
func (s *Server) observe(c echo.Context, took time.Duration) {
	r, w := c.Request(), c.Response()
	if c.Get(isStream) == nil {
		s.metrics.request.WithLabelValues(methodLabel(r.Method), c.Path(), strconv.Itoa(w.Status)).Observe(took.Seconds())
	}
	if ctx := r.Context(); s.log.Enabled(ctx, slog.LevelDebug) {
		log := s.log
		if e, ok := c.Get(isStream).(*carry.Ending); ok {
			log = log.With("ending", e.String())
		}
		log.DebugContext(ctx, "request", "method", r.Method, "path", r.URL.EscapedPath(), "status", w.Status,
			"bytes", w.Size, "duration", took.String(), "remote", r.RemoteAddr, "request_id", requestIDOf(c), "subject", subjectOf(c).ID)
	}
}

// isStream marks, in echo's context, a request whose duration says nothing about this server. Its value
// becomes the *carry.Ending, unless the stream outlives the request, as a WebSocket does.
const isStream = "stream"

// methodLabel bounds what a client can put into a label.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodPost, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// rescue handles a request, and turns a panic into the answer 500: the process and the other clients are
// kept out of it.
func (s *Server) rescue(c echo.Context, handle echo.HandlerFunc) error {
	return s.guard(func() error {
		if err := s.names.check(c.Request()); err != nil {
			return err
		}
		if s.cfg.Unproxied && passedOn(c.Request().Header) {
			return errPassedOn
		}
		if err := s.origins.checkChange(c.Request()); err != nil {
			return err
		}
		if r := c.Request(); r.Method == http.MethodOptions && r.RequestURI == "*" { // of no route: RFC 9110, section 9.3.7
			return c.NoContent(http.StatusOK)
		}
		return handle(c)
	})
}

// guard runs f and returns a panic of it as an error, logged with its stack.
func (s *Server) guard(f func() error) (err error) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler: // net/http's own way to drop a connection
			panic(v)
		default:
			s.panicked(v)
			err = errInternal
		}
	}()
	return f()
}

// panicked counts and logs a panic, in the deferred function that has caught it.
func (s *Server) panicked(v any) {
	s.metrics.panics.Inc()
	s.log.Error("panic in a handler", "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
}

func requestIDOf(c echo.Context) string { return c.Response().Header().Get(echo.HeaderXRequestID) }
