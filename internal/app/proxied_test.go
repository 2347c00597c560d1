package app_test

import (
	"net/http"
	"strings"
	"testing"

	"oc-scheduler/internal/app"
	"oc-scheduler/internal/natstest"
)

// TestAProxyMakesNobodyAnAdministrator: on a loopback address nobody is asked who he is, for nobody else than this
// machine's users comes there; one whom a proxy beside the replica lets in is somebody else.
func TestAProxyMakesNobodyAnAdministrator(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	replica := func(change func(*app.Config)) *running {
		c := on(srv)
		change(&c)
		r := start(t, c)
		r.awaitReady(t)
		return r
	}
	alone := replica(func(*app.Config) {})
	if status, body := alone.proxied(t, http.MethodGet, ""); status != http.StatusOK {
		t.Errorf("without a proxy: %d %s", status, body)
	}
	for _, header := range []string{
		"X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: https", "x-forwarded-host: a.example", "X-Forwarded-For: ", "X-Forwarded-Anything: 1",
		"Forwarded: for=192.0.2.1", "Forwarded: ", "X-Real-Ip: 192.0.2.1", "X-REAL-IP: ", "Via: 1.1 edge",
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodOptions} {
			status, body := alone.proxied(t, method, header)
			if status != http.StatusForbidden || !strings.Contains(body, "--auth on") {
				t.Errorf("%s with %q: %d %s", method, header, status, body)
			}
		}
	}
	for name, c := range map[string]struct {
		change func(*app.Config)
		status int
	}{
		"--auth off":      {func(c *app.Config) { c.Auth = "off" }, http.StatusOK},
		"--auth on":       {func(c *app.Config) { c.Auth = "on" }, http.StatusUnauthorized},
		"--trusted-proxy": {func(c *app.Config) { c.TrustedProxy = []string{"127.0.0.1"} }, http.StatusUnauthorized},
	} {
		if status, body := replica(c.change).proxied(t, http.MethodGet, "X-Forwarded-For: 192.0.2.1"); status != c.status {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
}

// proxied asks for the list of workflows with one more header.
func (r *running) proxied(t *testing.T, method, header string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, r.URL()+"/oc", nil)
	if err != nil {
		t.Fatal(err)
	}
	if name, value, given := strings.Cut(header, ": "); given {
		req.Header.Set(name, value)
	}
	return send(t, req)
}
