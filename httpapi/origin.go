package httpapi

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"oc-scheduler/httpapi/auth"
	"oc-scheduler/httpapi/carry"
)

// origins are the browser origins (RFC 6454, scheme://host[:port]), besides the host's own, that may
// use this server.
type origins []string

func (o origins) validate() error {
	for i, entry := range o {
		if _, ok := parseOrigin(entry); !ok || strings.Contains(entry, "*") {
			return fmt.Errorf("--allow-origin: entry %d of %d is not an origin such as https://portal.example.org", i+1, len(o)) // which may hold a password
		}
	}
	return nil
}

// origin is one in its only spelling.
type origin struct{ scheme, host string }

// parseOrigin reads an origin of the web, however it is spelt.
func parseOrigin(text string) (o origin, ok bool) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || *u != (url.URL{Scheme: u.Scheme, Host: u.Host}) {
		return o, false
	}
	return origin{u.Scheme, hostOf(u.Scheme, u.Host)}, true
}

// hostOf is a host, with its port unless that is the scheme's own: names in lower case without a dot at the
// end, addresses in their short form.
func hostOf(scheme, host string) string {
	u := url.URL{Host: host}
	name, port := plainName(u.Hostname()), u.Port()
	if address, err := netip.ParseAddr(name); err == nil {
		name = address.String()
	}
	if scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		port = ""
	}
	return net.JoinHostPort(name, port)
}

// listed reports whether an Origin header's value is one of the entries.
func (o origins) listed(text string) bool {
	from, ok := parseOrigin(text)
	return ok && slices.ContainsFunc(o, func(entry string) bool {
		listed, ok := parseOrigin(entry)
		return ok && listed == from
	})
}

// allowed reports whether a request may come from where it comes: clients that are no browsers send
// no origin, and the host's own pages are always welcome.
func (o origins) allowed(r *http.Request) bool {
	text := r.Header.Get(echo.HeaderOrigin)
	if text == "" {
		return !elsewhere(r)
	}
	from, ok := parseOrigin(text)
	return ok && from.host == hostOf(from.scheme, r.Host) || o.listed(text)
}

// elsewhere says whether a page of another origin has a browser ask, which may not tell of whose: of images, and of where
// links lead.
func elsewhere(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "cross-site" || site == "same-site"
}

// own says whether a request comes from a page of this very host. What is no browser shows no origin.
func own(r *http.Request) bool {
	from, ok := parseOrigin(r.Header.Get(echo.HeaderOrigin))
	scheme := auth.WayOf(r).Scheme()
	return ok && from == origin{scheme, hostOf(scheme, r.Host)}
}

// checkSession refuses with a *Problem of status 403 what a page of another origin asks for with a session, which
// a browser shows by itself whoever asks. Listed origins have to show a token.
func checkSession(r *http.Request, g *auth.Grant) error {
	if g.Session() == "" || own(r) || !mayChange(r) && !carry.Upgrades(r) {
		return nil
	}
	return errForeign
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
	if !mayChange(r) {
		return nil
	}
	return o.check(r)
}

// mayChange says whether a request may change something, by its method.
func mayChange(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return false
	}
	return true
}

// cors answers the questions of browsers on behalf of the listed origins.
func (o origins) cors() echo.MiddlewareFunc {
	return middleware.CORSWithConfig(middleware.CORSConfig{
		AllowOriginFunc: func(origin string) (bool, error) { return o.listed(origin), nil },
		AllowMethods:    []string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodPost, http.MethodDelete},
		AllowHeaders:    []string{echo.HeaderAuthorization, echo.HeaderContentType, "If-Match", "If-None-Match", idempotencyKey, lastEventID, echo.HeaderXRequestID},
		ExposeHeaders:   []string{"ETag", "Age", echo.HeaderLocation, echo.HeaderRetryAfter, echo.HeaderXRequestID},
		MaxAge:          600,
	})
}
