package app_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestScrapesAtAnAddressOfTheirOwn: there nobody has to say who he is, and there is nothing else.
func TestScrapesAtAnAddressOfTheirOwn(t *testing.T) {
	t.Parallel()
	c := embedded(t)
	c.Auth = "on"
	c.MetricsListen, c.MetricsListenFile = ":0", filepath.Join(t.TempDir(), "metrics")
	r := start(t, c)
	r.awaitReady(t)
	address := read(t, c.MetricsListenFile)
	if !strings.HasPrefix(address, "127.0.0.1:") {
		t.Errorf("without a host it is %s", address)
	}
	ask := func(method, path string) (status int, body string) {
		req, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return send(t, req)
	}
	if status, body := ask(http.MethodGet, "/metrics"); status != http.StatusOK || !strings.Contains(body, "\noc_scheduler_") {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := ask(http.MethodPost, "/metrics"); status != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", status)
	}
	for _, path := range []string{"/", "/oc", "/readyz", "/tokens"} {
		if status, body := ask(http.MethodGet, path); status != http.StatusNotFound {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if status, _ := r.status(t, "/metrics"); status != http.StatusUnauthorized {
		t.Errorf("at the other address: %d", status)
	}
	if err := r.wait(t); err != nil {
		t.Errorf("Run: %v", err)
	}
	if status, _ := ask(http.MethodGet, "/metrics"); status != 0 {
		t.Errorf("after the end: %d", status)
	}
}
