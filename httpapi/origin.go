package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

// origins are the browser origins (RFC 6454), besides the host's own, that may use this server. An
// entry is scheme://host[:port], in which * stands for any run of letters, or * alone for all.
type origins []string

func (o origins) validate() error {
	for _, pattern := range o {
		if pattern == "*" {
			continue
		}
		u, err := url.Parse(pattern)
		_, bad := path.Match(pattern, "")
		if err != nil || bad != nil || u.Scheme == "" || u.Host == "" || strings.TrimSuffix(u.Path, "/") != "" {
			return fmt.Errorf("--allow-origin %q must look like https://app.example:8443", pattern)
		}
	}
	return nil
}

// listed reports whether an Origin header's value is one of the entries.
func (o origins) listed(origin string) bool {
	u, err := url.Parse(strings.ToLower(origin))
	if err != nil {
		return false
	}
	for _, pattern := range o {
		if pattern == "*" {
			return true
		}
		pattern = strings.ToLower(strings.TrimSuffix(pattern, "/"))
		if ok, err := path.Match(pattern, u.Scheme+"://"+u.Host); ok && err == nil && u.Host != "" {
			return true
		}
	}
	return false
}

// allowed reports whether a request may come from where it comes: clients that are no browsers send
// no origin, and the host's own pages are always welcome.
func (o origins) allowed(r *http.Request) bool {
	origin := r.Header.Get(echo.HeaderOrigin)
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, r.Host) || o.listed(origin)
}

// check is allowed as an error: a *Problem of status 403.
func (o origins) check(r *http.Request) error {
	if o.allowed(r) {
		return nil
	}
	return newProblem(http.StatusForbidden, "origin %.100q is not allowed here; see --allow-origin", r.Header.Get(echo.HeaderOrigin))
}

// guard refuses what a foreign page sends to change something: a browser sends simple requests
// without asking first.
func (o origins) guard(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		switch c.Request().Method {
		case http.MethodGet, http.MethodHead, http.MethodOptions:
			return next(c)
		}
		if err := o.check(c.Request()); err != nil {
			return err
		}
		return next(c)
	}
}

// cors answers the questions of browsers on behalf of the listed origins.
func (o origins) cors() echo.MiddlewareFunc {
	return middleware.CORSWithConfig(middleware.CORSConfig{
		AllowOriginFunc: func(origin string) (bool, error) { return o.listed(origin), nil },
		AllowMethods:    []string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodPost, http.MethodDelete},
		AllowHeaders:    []string{echo.HeaderContentType, "If-Match", "If-None-Match", "Last-Event-ID", echo.HeaderXRequestID},
		ExposeHeaders:   []string{"ETag", "Age", echo.HeaderLocation, echo.HeaderRetryAfter, echo.HeaderXRequestID},
		MaxAge:          600,
	})
}
