package auth_test

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"oc-scheduler/httpapi/auth"
)

// over is a request that came between two addresses, by TLS or without.
func over(t *testing.T, at, from string, secure bool) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://oc.example/", nil)
	local, err := net.ResolveTCPAddr("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local))
	if r.RemoteAddr = from; secure {
		r.TLS = &tls.ConnectionState{}
	}
	return r
}

// TestWhereThereAreSessions: nowhere where somebody could read them on their way.
func TestWhereThereAreSessions(t *testing.T) {
	t.Parallel()
	const local, remote = "127.0.0.1:8080", "192.0.2.1:8080"
	for name, c := range map[string]struct {
		r      *http.Request
		cookie string
	}{
		"https":              {over(t, remote, "198.51.100.1:1", true), "__Host-oc=x; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Strict"},
		"https, loopback":    {over(t, local, "127.0.0.1:1", true), "__Host-oc=x; Path=/; Max-Age=60; HttpOnly; Secure; SameSite=Strict"},
		"loopback":           {over(t, local, "127.0.0.1:1", false), "oc=x; Path=/; Max-Age=60; HttpOnly; SameSite=Strict"},
		"loopback, IPv6":     {over(t, "[::1]:8080", "[::1]:1", false), "oc=x; Path=/; Max-Age=60; HttpOnly; SameSite=Strict"},
		"in the open":        {over(t, remote, "198.51.100.1:1", false), ""},
		"an odd connection":  {over(t, local, "198.51.100.1:1", false), ""},
		"an odd name":        {over(t, local, "nobody", false), ""},
		"no address at this": {httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://oc.example/", nil), ""},
	} {
		now := time.Now()
		cookie, ok := auth.WayOf(c.r).Cookie("x", now.Add(time.Minute), now)
		if ok != (c.cookie != "") || ok && cookie.String() != c.cookie {
			t.Errorf("%s: %v, %v", name, cookie, ok)
		}
	}
}

// TestTheSessionThatIsShown is that of the cookie of this way, if there is one.
func TestTheSessionThatIsShown(t *testing.T) {
	t.Parallel()
	const at, from = "127.0.0.1:8080", "127.0.0.1:1"
	show := func(secure bool, cookies string) (string, bool) {
		r := over(t, at, from, secure)
		r.Header.Set("Cookie", cookies)
		return auth.ShownSession(r)
	}
	plain, shows := show(false, "oc=a; __Host-oc=b; other=c")
	secure, showsSecure := show(true, "oc=a; __Host-oc=b")
	if !shows || !showsSecure || plain == secure {
		t.Error("a session is not shown")
	}
	for cookies, secure := range map[string]bool{"": false, "oc=": false, "oc=a; oc=b": false, "__Host-oc=a": false, "oc=a": true, "oc=" + strings.Repeat("a", 65): false} {
		if key, shows := show(secure, cookies); shows {
			t.Errorf("%q shows %s", cookies, key)
		}
	}
}
