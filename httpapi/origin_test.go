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

// TestHostsOwnPages: a host is the same however it is spelt, with or without the port that goes without saying.
func TestHostsOwnPages(t *testing.T) {
	t.Parallel()
	for own, want := range map[[2]string]bool{
		{"http://oc.example:80", "oc.example"}:             true,
		{"http://oc.example", "oc.example:80"}:             true,
		{"https://oc.example:443", "oc.example"}:           true,
		{"https://oc.example", "oc.example:443"}:           true,
		{"http://OC.example.", "oc.Example"}:               true,
		{"http://oc.example", "OC.EXAMPLE.:80"}:            true,
		{"http://oc.example:", "oc.example"}:               true,
		{"http://[::1]:80", "[::1]"}:                       true,
		{"http://[::1]", "[0:0:0:0:0:0:0:1]:80"}:           true,
		{"https://[2001:DB8::1]:443", "[2001:db8:0::1]"}:   true,
		{"http://127.0.0.1:80", "127.0.0.1"}:               true,
		{"http://oc.example:443", "oc.example"}:            false,
		{"https://oc.example:80", "oc.example"}:            false,
		{"https://oc.example", "oc.example:80"}:            false,
		{"http://oc.example:8080", "oc.example"}:           false,
		{"http://[::1]:8080", "[::1]"}:                     false,
		{"http://[::2]", "[::1]"}:                          false,
		{"http://user@oc.example", "oc.example"}:           false,
		{"http://oc.example/", "oc.example"}:               false,
		{"http://oc.example?", "oc.example"}:               false,
		{"http://oc.example:80 http://evil", "oc.example"}: false,
		{"http://oc.example..", "oc.example"}:              false,
		{"gopher://oc.example", "oc.example"}:              false,
		{"http://", ""}:                                    false,
		{"http://:80", ""}:                                 false,
	} {
		r := &http.Request{Host: own[1], Header: http.Header{"Origin": {own[0]}}}
		if got := (origins{}).allowed(r); got != want {
			t.Errorf("%s at %s: %v", own[0], own[1], got)
		}
	}
	listed := origins{"https://Portal.example:443", "HTTP://[::1]:3000", "http://app.example."}
	if err := listed.validate(); err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]bool{
		"https://portal.example": true, "https://PORTAL.example.:443": true, "http://[0::1]:3000": true, "http://app.example:80": true,
		"http://portal.example": false, "https://portal.example:80": false, "http://[::1]": false,
	} {
		if got := listed.listed(from); got != want {
			t.Errorf("%s: %v", from, got)
		}
	}
}

func TestOriginsThatCannotBeMeant(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"app.example", "https://", "https://app.example/path", "https://app.example/", "https://[", "", "*", "https://*.example", "ftp://app.example", "null", "https://user@app.example", "https://:443", "https://app.example?"} {
		if (origins{pattern}).validate() == nil {
			t.Errorf("%q passes", pattern)
		}
	}
}
