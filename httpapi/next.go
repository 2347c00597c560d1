package httpapi

import (
	"net/http"
	"net/url"
	"strings"
)

const (
	homePath   = "/ui/"
	loginPath  = "/ui/login"
	logoutPath = "/ui/logout"
	departPath = "/ui/login/issuer"
	arrivePath = "/ui/callback"

	maxNext = 4 << 10
)

// localPage is where a log-in leads: the page that was asked for, or the first one where that is none of here. What
// browsers might read as another address is none of here.
func localPage(next string) string {
	if len(next) > maxNext || !strings.HasPrefix(next, homePath) || strings.ContainsFunc(next, odd) {
		return homePath
	}
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" {
		return homePath
	}
	segments := strings.Split(strings.TrimPrefix(u.EscapedPath(), homePath), "/")
	for i, segment := range segments {
		name, err := url.PathUnescape(segment)
		if err != nil || name == "." || name == ".." || name == "" && i < len(segments)-1 {
			return homePath
		}
	}
	switch segments[0] {
	case "login", "logout", "callback", "static": // no pages to be at
		return homePath
	}
	return next
}

// odd are characters that stand in no address as it is sent, or that browsers take for a slash.
func odd(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }

// loginFor is the log-in page for a request that takes somebody who is known. It leads back to the page that was
// asked for, or from which something was sent.
func loginFor(r *http.Request) string {
	from := r.URL
	if mayChange(r) {
		referer, err := url.Parse(r.Referer())
		if err != nil || referer.Host != r.Host {
			return loginPath
		}
		from = referer
	}
	return loginPath + "?" + url.Values{"next": {localPage(from.RequestURI())}}.Encode()
}
