package app_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"oc-scheduler/internal/app"
	"oc-scheduler/internal/natstest"
)

// TestWhereSomebodyHasToSayWhoHeIs: where others than this machine's users may ask, unless it is said otherwise.
func TestWhereSomebodyHasToSayWhoHeIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		listen, auth, file string
		want               bool
	}{
		{"127.0.0.1:8080", "auto", "", false},
		{"127.9.9.9:8080", "", "", false},
		{"[::1]:8080", "auto", "", false},
		{"[::ffff:127.0.0.1]:8080", "auto", "", false},
		{"localhost:8080", "auto", "", false},
		{":8080", "auto", "", true},
		{"0.0.0.0:8080", "auto", "", true},
		{"[::]:8080", "auto", "", true},
		{"192.0.2.1:8080", "auto", "", true},
		{"localhost.example.org:8080", "auto", "", true},
		{"127.0.0.1:8080", "auto", "file", true},
		{"127.0.0.1:8080", "on", "", true},
		{":8080", "off", "file", false},
	} {
		if got := app.Guarded(app.Config{Listen: c.listen, Auth: c.auth, BootstrapTokenFile: c.file}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestTLSAsksForAuth: who speaks TLS to a loopback address, or believes an issuer, lets others come.
func TestTLSAsksForAuth(t *testing.T) {
	t.Parallel()
	if !app.Guarded(app.Config{Listen: "127.0.0.1:8080", TLSCert: "cert"}) || app.Guarded(app.Config{Listen: ":8080", Auth: "off", TLSCert: "cert"}) {
		t.Error("TLS does not ask for auth, or insists on it")
	}
	if !app.Guarded(app.Config{Listen: "127.0.0.1:8080", OIDCIssuer: "https://login.example.org"}) {
		t.Error("an issuer vouches for people, and nobody asks who they are")
	}
	if !app.Guarded(app.Config{Listen: "127.0.0.1:8080", TrustedProxy: []string{"127.0.0.1"}}) {
		t.Error("a proxy on this machine does not ask for auth")
	}
}

func TestNewNodesWaitWhereSomebodyHasToSayWhoHeIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		auth, nodes string
		want        bool
	}{{"off", "", false}, {"on", "", true}, {"on", "auto", false}, {"off", "manual", true}} {
		if got := app.ApprovesByHand(app.Config{Auth: c.auth, ApproveNodes: c.nodes}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// bootstrapping is a replica that makes a first token.
func bootstrapping(srv *natstest.Server, file string) app.Config {
	c := on(srv)
	c.BootstrapTokenFile = file
	return c
}

// TestAFirstTokenIsMadeOnceForTheFleet, and is that of an administrator.
func TestAFirstTokenIsMadeOnceForTheFleet(t *testing.T) {
	t.Parallel()
	srv, dir := natstest.Start(t), t.TempDir()
	var replicas []*running
	for _, name := range []string{"a", "b", "c"} {
		replicas = append(replicas, start(t, bootstrapping(srv, filepath.Join(dir, name))))
	}
	for _, r := range replicas {
		r.awaitReady(t)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("files: %v %v", entries, err)
	}
	info, err := entries[0].Info()
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
	token, err := os.ReadFile(filepath.Join(dir, entries[0].Name()))
	if err != nil || !strings.HasPrefix(string(token), "oct_bootstrap_") {
		t.Fatal(err)
	}
	for _, r := range replicas {
		r.whoami(t, strings.TrimSpace(string(token)), `"subject":"token:bootstrap"`, `"role":"admin"`)
	}
	if status, _ := replicas[0].status(t, "/oc"); status != http.StatusUnauthorized {
		t.Errorf("anybody may ask: %d", status)
	}
	again := start(t, bootstrapping(srv, filepath.Join(dir, "d"))) // an administrator lives
	again.awaitReady(t)
	if _, err := os.Stat(filepath.Join(dir, "d")); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// whoami asks who the bearer of a token is.
func (r *running) whoami(t *testing.T, token string, words ...string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.URL()+"/whoami", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	status, body := send(t, req)
	for _, word := range words {
		if status != http.StatusOK || !strings.Contains(body, word) {
			t.Errorf("answer is %d %s", status, body)
		}
	}
}

// TestAFileIsNotWrittenOver by a first token: an operator has to say which counts.
func TestAFileIsNotWrittenOver(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := start(t, bootstrapping(natstest.Start(t), file))
	err := r.end(t)
	if _, is := errors.AsType[*app.ConfigError](err); !is || !strings.Contains(err.Error(), "--bootstrap-token-file") {
		t.Errorf("ended with %v", err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "mine" {
		t.Errorf("%s %v", text, err)
	}
	if _, err := app.New(context.Background(), bootstrapping(natstest.Start(t), "/nowhere/token"), slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a place that takes no file is accepted")
	}
}
