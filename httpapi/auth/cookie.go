package auth

import (
	"net"
	"net/http"
	"net/netip"
	"time"

	"oc-scheduler/store/sessions"
)

// The cookie of a session. Under HTTPS its name has a prefix by which browsers hold it to this very host, so that
// no neighbour of the same domain can plant one (RFC 6265bis, section 4.1.3.2). A loopback address has no such
// neighbours; elsewhere whoever listens could take it, so there is none.
const (
	secureCookie = "__Host-oc"
	plainCookie  = "oc"
)

// Way is how a browser reaches this server.
type Way uint8

// The ways.
const (
	InTheOpen Way = iota // without TLS, over a network: no sessions
	Loopback             // without TLS, from this machine
	Secure               // HTTPS
)

// WayOf is how a request came.
func WayOf(r *http.Request) Way {
	if way, forwarded := r.Context().Value(forwardedKey{}).(Way); forwarded {
		return way
	}
	switch {
	case r.TLS != nil:
		return Secure
	case overLoopback(r):
		return Loopback
	}
	return InTheOpen
}

// overLoopback says whether both ends of the connection are on this machine.
func overLoopback(r *http.Request) bool {
	at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	return ok && at.IP.IsLoopback() && err == nil && from.Addr().Unmap().IsLoopback()
}

// Scheme is that of the origin of the pages that come this way.
func (w Way) Scheme() string {
	if w == Secure {
		return "https"
	}
	return "http"
}

// cookie is the name of the session's; "": there is none.
func (w Way) cookie() string {
	switch w {
	case Secure:
		return secureCookie
	case Loopback:
		return plainCookie
	}
	return ""
}

// Cookie holds a session in a browser until an end. ok is false where there are no sessions.
func (w Way) Cookie(sessionID string, end, now time.Time) (c *http.Cookie, ok bool) {
	return &http.Cookie{
		Name: w.cookie(), Value: sessionID, Path: "/", MaxAge: max(int(end.Sub(now)/time.Second), 1),
		HttpOnly: true, Secure: w == Secure, SameSite: http.SameSiteStrictMode,
	}, w.cookie() != ""
}

// NoCookie takes a session out of a browser.
func (w Way) NoCookie() *http.Cookie {
	return &http.Cookie{Name: w.cookie(), Path: "/", MaxAge: -1, HttpOnly: true, Secure: w == Secure, SameSite: http.SameSiteStrictMode}
}

// ShownSession is the key of the session that a request shows by its cookie, whether it lives or not.
func ShownSession(r *http.Request) (key string, shows bool) {
	sessionID, _ := shownCookie(r)
	return sessions.Key(sessionID)
}

// ShownJourney is what a browser has kept of a log-in at the issuer.
func ShownJourney(r *http.Request) (kept string, given bool) {
	return shownOne(r, WayOf(r).journey())
}

// shownCookie is the session that a request shows, "" for one that is malformed.
func shownCookie(r *http.Request) (sessionID string, given bool) {
	return shownOne(r, WayOf(r).cookie())
}

// shownOne is the cookie of a name. Of several nobody knows which is meant.
func shownOne(r *http.Request, name string) (value string, given bool) {
	if name == "" {
		return "", false
	}
	switch shown := r.CookiesNamed(name); len(shown) {
	case 0:
		return "", false
	case 1:
		return shown[0].Value, true
	}
	return "", true
}

// journeyLasts is how long a log-in at the issuer may take.
const journeyLasts = 10 * time.Minute

// journey is the name of the cookie of a log-in that is under way; "": there is none.
func (w Way) journey() string {
	if w == InTheOpen {
		return ""
	}
	return w.cookie() + "-login"
}

// JourneyCookie keeps what a browser brings back from a log-in at the issuer. The way back begins at another site,
// so it has to be shown from there, too.
func (w Way) JourneyCookie(kept string) *http.Cookie {
	return &http.Cookie{
		Name: w.journey(), Value: kept, Path: "/", MaxAge: int(journeyLasts / time.Second),
		HttpOnly: true, Secure: w == Secure, SameSite: http.SameSiteLaxMode,
	}
}

// NoJourney takes it out of a browser.
func (w Way) NoJourney() *http.Cookie {
	c := w.JourneyCookie("")
	c.MaxAge = -1
	return c
}
