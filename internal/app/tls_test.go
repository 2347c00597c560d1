package app_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
)

// shared is a buffer that is written while it is read.
type shared struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *shared) has(part string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.text.String(), part)
}

// trusting is a client that trusts one authority, on connections of its own.
func trusting(t *testing.T, pool *x509.CertPool) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func ask(t *testing.T, client *http.Client, method, url, body string, headers ...string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return client.Do(req)
}

// TestTLS serves HTTP/2, WebSockets and event streams over TLS, by a certificate that changes while they go on.
func TestTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pool, _ := certify(t, dir)
	c := embedded(t)
	c.TLSCert, c.TLSKey, c.Auth = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), "off"
	log := &shared{}
	r := startLogging(t, c, slog.NewTextHandler(log, nil))
	if !strings.HasPrefix(r.URL(), "https://") {
		t.Fatal(r.URL())
	}
	until(t, "ready", func() bool { return isClosed(r.Ready()) })
	client := trusting(t, pool)
	resp, err := ask(t, client, http.MethodPut, r.URL()+"/oc/wf", `{"id":"wf","graph":{"items":{}}}`)
	if err != nil {
		t.Fatal(err)
	}
	if _ = resp.Body.Close(); resp.StatusCode != http.StatusCreated || resp.ProtoMajor != 2 {
		t.Errorf("%s by %s", resp.Status, resp.Proto)
	}
	const question = "/oc/wf/check?start=2027-01-01T00:00:00Z&duration=1h"
	events, err := ask(t, client, http.MethodGet, r.URL()+question, "", "Accept", "text/event-stream")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = events.Body.Close() }()
	if first := make([]byte, 5); events.ProtoMajor != 2 {
		t.Errorf("an event stream by %s", events.Proto)
	} else if _, err := io.ReadFull(events.Body, first); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ws, _, err := websocket.Dial(ctx, r.URL()+question, &websocket.DialOptions{HTTPClient: client, Subprotocols: []string{"oc.check.v1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ws.CloseNow() }()
	if _, frame, err := ws.Read(ctx); err != nil || !strings.Contains(string(frame), `"available"`) {
		t.Errorf("%s %v", frame, err)
	}

	old, err := os.ReadFile(c.TLSCert)
	if err != nil {
		t.Fatal(err)
	}
	newPool, _ := certify(t, dir)
	until(t, "the new certificate serves", func() bool { return serves(t, r.URL(), newPool) && !serves(t, r.URL(), pool) })
	if err := os.WriteFile(c.TLSCert, old, 0o600); err != nil {
		t.Fatal(err)
	}
	until(t, "the pair that does not fit is logged", func() bool { return log.has("do not fit") })
	if !serves(t, r.URL(), newPool) {
		t.Error("a pair that does not fit took the place of one that did")
	}
	last, _ := certify(t, dir)
	until(t, "the last certificate serves", func() bool { return serves(t, r.URL(), last) })

	plain := trusting(t, nil)
	resp, err = ask(t, plain, http.MethodGet, strings.Replace(r.URL(), "https", "http", 1)+"/oc", "")
	if err != nil {
		t.Fatal(err)
	}
	if _ = resp.Body.Close(); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("without TLS: %s", resp.Status)
	}
}

// serves says whether a new connection is answered by a certificate of that authority.
func serves(t *testing.T, url string, pool *x509.CertPool) bool {
	t.Helper()
	client := trusting(t, pool)
	resp, err := ask(t, client, http.MethodGet, url+"/livez", "")
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	client.CloseIdleConnections()
	return resp.StatusCode == http.StatusOK
}
