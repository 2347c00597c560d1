package httpapi

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/auth"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/tokens"
)

// authorize lets a request come to its handler when who asks may use the route. It comes before the answer that
// there is no such route or method: who is nobody learns nothing of them.
func (s *Server) authorize(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if preflight(c.Request()) {
			return next(c)
		}
		right, served := s.needed[place{c.Request().Method, c.Path()}]
		if !served {
			right = access.Read
		}
		if err := s.require(c, right); err != nil {
			return err
		}
		s.note(c, right)
		return next(c)
	}
}

// preflight says whether a browser asks for its page, which has no credentials to show (Fetch, section 3.2.3).
func preflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
}

// require finds out who asks, and whether he has a right. The error is a *Problem, auth.ErrRefused or
// auth.ErrStarting.
func (s *Server) require(c echo.Context, right access.Right) error {
	if right == access.Open || s.auth == nil {
		return nil
	}
	who, err := s.auth.Subject(c.Request())
	if err != nil {
		return err
	}
	switch access.Decide(who, right) {
	case access.Unknown:
		return auth.ErrRefused
	case access.Forbidden:
		return newProblem(http.StatusForbidden, "this takes the role %v; yours is %v", right.Needs(), who.Role)
	}
	c.Set(subjectKey, who)
	return nil
}

// subjectKey is where echo's context has who asks.
const subjectKey = "subject"

// subjectOf is who asks, as far as that has been found out.
func subjectOf(c echo.Context) *access.Subject {
	if who, known := c.Get(subjectKey).(*access.Subject); known {
		return who
	}
	return access.Anonymous
}

// note logs who changes what.
func (s *Server) note(c echo.Context, right access.Right) {
	r := c.Request()
	if r.Method == http.MethodGet || r.Method == http.MethodHead || right < access.Write {
		return
	}
	s.log.LogAttrs(r.Context(), slog.LevelInfo, "asked for a change", slog.String("method", r.Method),
		slog.String("path", r.URL.EscapedPath()), slog.String("subject", subjectOf(c).ID), slog.String("request_id", requestIDOf(c)))
}

// freshToken reads a token that the view does not show, and waits until it does, so that streams can be bound
// to it.
func (s *Server) freshToken(of *tokens.Tokens) auth.Fresh {
	return func(ctx context.Context, tokenID string) (*tokens.Record, error) {
		r, err := lookup(ctx, s.doubts, store.TokensBucket, tokenID, of.Get)
		if err == nil {
			shown(ctx, of.View(), tokenID, func(revision uint64) bool { return revision > 0 })
		}
		return r, err
	}
}

// bind has end called when the right of who asks ends, as long as it is not released.
func (s *Server) bind(who *access.Subject, end func()) (release func()) {
	if s.auth == nil {
		return func() {}
	}
	return s.auth.Bind(who, end)
}

// bound is the context of a request that goes on for long: it ends, with the cause errRightEnded, when the
// right of who asks does. part is to be called once.
func (s *Server) bound(c echo.Context) (ctx context.Context, part func()) {
	ctx, cancel := context.WithCancelCause(c.Request().Context())
	release := s.bind(subjectOf(c), func() { cancel(errRightEnded) })
	return ctx, func() {
		release()
		cancel(nil)
	}
}
