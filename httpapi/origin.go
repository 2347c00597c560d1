package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

// origins are the browser origins (RFC 6454, scheme://host[:port]), besides the host's own, that may
// use this server.
type origins []string

func (o origins) validate() error {
	for i, entry := range o {
		u, err := url.Parse(entry)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Contains(u.Host, "*") || u.Scheme+"://"+u.Host != entry {
			return fmt.Errorf("--allow-origin: entry %d of %d is not an origin such as https://portal.example.org", i+1, len(o)) // which may hold a password
		}
	}
	return nil
}

// listed reports whether an Origin header's value is one of the entries.
func (o origins) listed(origin string) bool {
	return slices.ContainsFunc(o, func(entry string) bool { return strings.EqualFold(entry, origin) })
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

// checkChange is check of what may change something: a browser sends simple requests without asking first.
func (o origins) checkChange(r *http.Request) error {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return nil
	}
	return o.check(r)
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
