package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/auth"
	"oc-scheduler/httpapi/ui"
	"oc-scheduler/store/access"
	"oc-scheduler/store/sessions"
)

// getLogin asks who it is. Who is known is led on.
func (s *Server) getLogin(c echo.Context) error {
	r, next := c.Request(), localPage(c.QueryParam("next"))
	if s.auth == nil {
		return c.Redirect(http.StatusSeeOther, next)
	}
	if g, err := s.auth.Granted(r); err == nil && g != nil {
		return c.Redirect(http.StatusSeeOther, next)
	}
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" { // so the browser keeps a session back that there may be
		return s.site.Again(c, loginPath+"?"+url.Values{"next": {next}}.Encode())
	}
	return s.site.LogIn(c, http.StatusOK, s.loginForm(r, next))
}

func (s *Server) loginForm(r *http.Request, next string) ui.LogIn {
	return ui.LogIn{Next: next, Sessions: auth.WayOf(r) != auth.InTheOpen, Issuer: s.logsIn()}
}

// counted is for what is open, and yet costs NATS a look or the issuer a question: it is a write of who asks, of whom
// nothing is known but his address.
func (s *Server) counted(handle echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if s.auth != nil {
			if err := s.paced(c, access.Write, nil); err != nil {
				return err
			}
		}
		return handle(c)
	}
}

// postLogin begins the session of who shows a token.
func (s *Server) postLogin(c echo.Context) error {
	if err := checkForm(c.Request()); err != nil {
		return err
	}
	body, err := s.body(c)
	if err != nil {
		return err
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return newProblem(http.StatusBadRequest, "what came is no form")
	}
	next := localPage(form.Get("next"))
	if s.auth == nil {
		return c.Redirect(http.StatusSeeOther, next)
	}
	show := s.loginForm(c.Request(), next)
	if !show.Sessions {
		return s.site.LogIn(c, http.StatusForbidden, show)
	}
	g, err := s.auth.Judge(c.Request().Context(), strings.TrimSpace(form.Get("token")))
	if errors.Is(err, auth.ErrRefused) {
		c.Response().Header().Set(echo.HeaderWWWAuthenticate, "Bearer")
		show.Refused = true
		return s.site.LogIn(c, http.StatusUnauthorized, show)
	}
	if err != nil {
		return err
	}
	return s.logIn(c, g, next)
}

// logsIn says whether people log in at the issuer.
func (s *Server) logsIn() bool { return s.auth != nil && s.cfg.Issuer != nil && s.cfg.Issuer.LogsIn() }

// checkForm refuses a log-in that another page sends: its user would be somebody whom he does not know to be.
func checkForm(r *http.Request) error {
	if r.Header.Get(echo.HeaderOrigin) != "" && !own(r) {
		return errForeign
	}
	return nil
}

// logIn begins a session for a grant, and leads on.
func (s *Server) logIn(c echo.Context, g *auth.Grant, next string) error {
	parts, err := s.loaded()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	ground, end := g.Ground()
	now := time.Now()
	sessionID, made, err := parts.Sessions.Begin(ctx, ground, end, now)
	if err != nil {
		return ofWrite(err)
	}
	if key, ok := sessions.Key(sessionID); ok {
		shown(ctx, parts.Sessions.View(), key, func(revision uint64) bool { return revision > 0 })
	}
	if cookie, ok := auth.WayOf(c.Request()).Cookie(sessionID, made.ExpiresAt, now); ok {
		c.SetCookie(cookie)
	}
	s.log.InfoContext(ctx, "logged in", "subject", g.Subject.ID, "until", made.ExpiresAt, "request_id", requestIDOf(c))
	return c.Redirect(http.StatusSeeOther, next)
}

// postLogout ends the session that the browser shows, here and everywhere.
func (s *Server) postLogout(c echo.Context) error {
	r := c.Request()
	if err := checkForm(r); err != nil {
		return err
	}
	if s.auth == nil {
		return c.Redirect(http.StatusSeeOther, homePath)
	}
	if key, shows := auth.ShownSession(r); shows {
		parts, err := s.loaded()
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(r.Context(), natsWithin)
		defer cancel()
		if err := parts.Sessions.End(ctx, key); err != nil {
			return ofWrite(err)
		}
		shown(ctx, parts.Sessions.View(), key, func(now uint64) bool { return now == 0 })
		c.SetCookie(auth.WayOf(r).NoCookie())
	}
	return c.Redirect(http.StatusSeeOther, loginPath)
}
