package httpapi

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestNamesOfThisMachine(t *testing.T) {
	t.Parallel()
	n := append(namesOf(origins{"https://Portal.example:8443"}), "machine")
	for host, want := range map[string]bool{
		"localhost":              true,
		"localhost:80":           true,
		"PORTAL.example.:443":    true,
		"[0:0::1]:80":            true,
		"LocalHost.:8080":        true,
		"oc.localhost:8080":      true,
		"127.0.0.1:8080":         true,
		"192.0.2.1":              true, // nobody rebinds an address
		"[::1]:8080":             true,
		"[fe80::1%25eth0]:8080":  true,
		"machine:8080":           true,
		"portal.example":         true,
		"PORTAL.example:8080":    true,
		"":                       true, // HTTP/1.0
		":8080":                  false,
		".":                      false,
		"evil.example:8080":      false,
		"localhost.evil.example": false,
		"scheduler:8080":         true, // of a container, or of a script's own making
		"notlocalhost.example":   false,
		"127.0.0.1.evil.example": false,
		"127.0.0.1:x":            false,
		"a.portal.example":       false,
	} {
		if got := n.lead(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}

// TestForeignNames: only an address that nobody else can reach has no names of its own.
func TestForeignNames(t *testing.T) {
	t.Parallel()
	for at, refused := range map[string]bool{"127.0.0.1": true, "127.9.9.9": true, "::1": true, "::ffff:127.0.0.1": true, "192.0.2.1": false} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://evil.example:8080/oc", nil)
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.ParseIP(at), Port: 8080}))
		if err := (names{}).check(r); (err != nil) != refused {
			t.Errorf("at %s: %v", at, err)
		}
	}
}
