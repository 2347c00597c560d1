package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/auth"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
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
		if err := s.paced(c, right, s.require(c, right)); err != nil {
			return err
		}
		s.note(c, right)
		return next(c)
	}
}

// paced counts a request that was judged, and refuses one that comes too soon, whatever was judged. The error is a
// *Problem of status 429, or that of the judgement.
func (s *Server) paced(c echo.Context, right access.Right, judged error) error {
	if right == access.Open {
		return judged
	}
	if err := s.paceFor(c).take(right, time.Now()); err != nil {
		return err
	}
	return judged
}

func (s *Server) paceFor(c echo.Context) *pace {
	who := clientOf(c)
	if who.known {
		return s.rates.subjects.of(who.name)
	}
	return s.rates.strangers.of(who.name)
}

// paceOf is how often who asks may, again; nil: as often as he likes.
func (s *Server) paceOf(c echo.Context) *pace {
	if s.auth == nil {
		return nil
	}
	return s.paceFor(c)
}

// preflight says whether a browser asks for its page, which has no credentials to show (Fetch, section 3.2.3).
func preflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
}

// require finds out who asks, and whether he has a right. The error is a *Problem, or as auth.Guard says.
func (s *Server) require(c echo.Context, right access.Right) error {
	if right == access.Open || s.auth == nil {
		return nil
	}
	since := time.Now()
	g, err := s.auth.Granted(c.Request())
	if err != nil {
		return err
	}
	if g == nil {
		return auth.ErrRefused
	}
	c.Set(askerKey, &asker{g, since})
	if access.Decide(g.Subject, right) == access.Forbidden {
		return newProblem(http.StatusForbidden, "this takes the role %v; yours is %v", right.Needs(), g.Subject.Role)
	}
	return checkSession(c.Request(), g)
}

// asker is who asks.
type asker struct {
	*auth.Grant
	since time.Time // when he did
}

// askerKey is where echo's context has who asks.
const askerKey = "asker"

// askerOf is who asks, as far as that has been found out; nil: nobody was asked.
func askerOf(c echo.Context) *asker {
	a, _ := c.Get(askerKey).(*asker)
	return a
}

// grantOf is what he may do.
func grantOf(c echo.Context) *auth.Grant {
	if a := askerOf(c); a != nil {
		return a.Grant
	}
	return nil
}

// subjectOf is who asks, as far as that has been found out.
func subjectOf(c echo.Context) *access.Subject {
	if g := grantOf(c); g != nil {
		return g.Subject
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

// knows are the credentials that a replica judges by.
func (s *Server) knows(p *Parts) auth.Known {
	return auth.Known{
		Tokens: p.Tokens.View(), FreshToken: fresh(s.doubts, store.TokensBucket, p.Tokens.View(), p.Tokens.Get),
		Sessions: p.Sessions.View(), FreshSession: fresh(s.doubts, store.SessionsBucket, p.Sessions.View(), p.Sessions.Get),
	}
}

// fresh reads what a view does not show, and waits until it does, so that streams can be bound to it.
func fresh[T any](doubts *lookups, bucket string, view *kv.View[T], get func(context.Context, string) (T, error)) auth.Fresh[T] {
	return func(ctx context.Context, name string) (T, error) {
		r, err := lookup(ctx, doubts, bucket, name, get)
		switch {
		case err == nil:
			shown(ctx, view, name, func(revision uint64) bool { return revision > 0 })
		case errors.Is(err, errUnasked):
			err = auth.ErrBusy
		}
		return r, err
	}
}

// bind has end called when what was granted to who asks ends, as long as it is not released.
func (s *Server) bind(g *auth.Grant, end func()) (release func()) {
	if g == nil {
		return func() {}
	}
	return s.auth.Bind(g, end)
}

// binding ends a socket when what was granted to who asks ends.
func (s *Server) binding(c echo.Context) func(stop func(error)) (release func()) {
	g := grantOf(c)
	return func(stop func(error)) (release func()) { return s.bind(g, func() { stop(errRightEnded) }) }
}

// bound is the context of a request that goes on for long: it ends, with the cause errRightEnded, when the
// right of who asks does. part is to be called once.
func (s *Server) bound(c echo.Context) (ctx context.Context, part func()) {
	ctx, cancel := context.WithCancelCause(c.Request().Context())
	release := s.bind(grantOf(c), func() { cancel(errRightEnded) })
	return ctx, func() {
		release()
		cancel(nil)
	}
}
