package app_test

import (
	"net/http"
	"path/filepath"
	"testing"

	"oc-scheduler/internal/natstest"
)

// TestBrowsersStayWithTLS once they have met it: no answer over it lacks the word, and none without it
// has it, nor one of a name that others serve, too.
func TestBrowsersStayWithTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pool, _ := certify(t, dir)
	srv := natstest.Start(t)
	plain, over := start(t, on(srv)), on(srv)
	over.TLSCert, over.TLSKey = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	sealed, client := start(t, over), trusting(t, pool)
	for url, want := range map[string]string{plain.URL(): "", sealed.URL(): "max-age=31536000"} {
		for _, path := range []string{"/livez", "/nowhere", "/ui/", "/openapi.json"} {
			resp, err := ask(t, client, http.MethodGet, url+path, "")
			if err != nil {
				t.Fatal(err)
			}
			if got := resp.Header.Get("Strict-Transport-Security"); got != want {
				t.Errorf("%s%s: %q", url, path, got)
			}
			_ = resp.Body.Close()
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, sealed.URL()+"/livez", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "localhost:8443"
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if got := resp.Header.Get("Strict-Transport-Security"); got != "" {
		t.Errorf("localhost: %q", got)
	}
}
