package httpapi

import (
	"net/http"
	"testing"
)

func TestOrigins(t *testing.T) {
	t.Parallel()
	listed := origins{"https://app.example", "https://a.apps.example:8443", "http://LOCALHOST:3000"}
	if err := listed.validate(); err != nil {
		t.Fatal(err)
	}
	for origin, want := range map[string]bool{
		"":                              true, // no browser
		"http://oc.example:8080":        true, // the host's own
		"https://oc.example:8080":       true, // behind a proxy that ends TLS
		"https://app.example":           true,
		"HTTPS://APP.EXAMPLE":           true,
		"https://a.apps.example:8443":   true,
		"http://localhost:3000":         true,
		"http://app.example":            false, // another scheme
		"https://app.example:444":       false,
		"https://app.example.evil.test": false,
		"https://b.apps.example:8443":   false,
		"https://evil.test/app.example": false,
		"http://oc.example":             false, // another port of the host
		"null":                          false,
		"https://":                      false,
		"%zz":                           false,
	} {
		r := &http.Request{Host: "oc.example:8080", Header: http.Header{}}
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		if got := listed.allowed(r); got != want {
			t.Errorf("%q: %v", origin, got)
		}
	}
}

func TestOriginsThatCannotBeMeant(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"app.example", "https://", "https://app.example/path", "https://app.example/", "https://[", "", "*", "https://*.example", "ftp://app.example", "null"} {
		if (origins{pattern}).validate() == nil {
			t.Errorf("%q passes", pattern)
		}
	}
}
