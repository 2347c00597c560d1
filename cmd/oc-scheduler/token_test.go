package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTokens from the first one on, over HTTP and past it.
func TestTokens(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "admin")
	s := startSite(t, "--bootstrap-token-file", file)
	bus := s.bus.ConnectedUrl()
	if got := s.ask(t, "workflows"); got.code != exitFailure || !strings.Contains(got.stderr, "valid credentials") {
		t.Errorf("nobody may ask: %+v", got)
	}
	as := func(args ...string) outcome { return s.tell(t, append(args, "--token-file", file)...) }
	if got := as("workflows"); got.code != exitOK {
		t.Errorf("an administrator: %+v", got)
	}
	ways := map[string][]string{"over HTTP": {"--token-file", file}, "straight into the bucket": {"--nats-url", bus}}
	for way, flags := range ways {
		made := s.tell(t, append([]string{"token", "create", "portal", "--role", "viewer", "--group", "g", "--ttl", "1h"}, flags...)...)
		token, isLine := strings.CutSuffix(made.stdout, "\n")
		if made.code != exitOK || !isLine || !strings.HasPrefix(token, "oct_") || strings.ContainsAny(token, " \n") {
			t.Fatalf("%s: %+v", way, made)
		}
		mine := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(mine, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := s.ask(t, "workflows", "--token-file", mine); got.code != exitOK {
			t.Errorf("%s: %+v", way, got)
		}
		if got := s.ask(t, "nodes", "approve", "n", "--token-file", mine); got.code != exitFailure || !strings.Contains(got.stderr, "operator") {
			t.Errorf("%s: %+v", way, got)
		}
		id := strings.Split(token, "_")[1]
		listed := s.tell(t, append([]string{"token", "list"}, flags...)...)
		if listed.code != exitOK || !strings.Contains(listed.stdout, id) || strings.Contains(listed.stdout+listed.stderr, token) {
			t.Errorf("%s: %+v", way, listed)
		}
		var items []struct{ ID, Role string }
		if got := s.tell(t, append([]string{"token", "list", "-o", "json"}, flags...)...); json.Unmarshal([]byte(got.stdout), &items) != nil || len(items) != 2 {
			t.Errorf("%s: %+v", way, got)
		}
		if got := s.tell(t, append([]string{"token", "revoke", id}, flags...)...); got.code != exitOK || got.stdout != "token "+id+" is revoked\n" {
			t.Errorf("%s: %+v", way, got)
		}
		if got := s.tell(t, append([]string{"token", "revoke", id}, flags...)...); got.code != exitFailure || !strings.Contains(got.stderr, "no such token") {
			t.Errorf("%s: %+v", way, got)
		}
		eventually(t, "the token is refused", func() bool { return s.ask(t, "workflows", "--token-file", mine).code == exitFailure })
	}
}

// tell runs a command line against the site.
func (s *site) tell(t *testing.T, args ...string) outcome {
	t.Helper()
	return invoke(t, map[string]string{"OC_SERVER": s.url}, args...)
}

// TestATokenIsShownToItsReplicaAlone, wherever that may lead.
func TestATokenIsShownToItsReplicaAlone(t *testing.T) {
	t.Parallel()
	const token = "oct_a_secret"
	shown := make(chan string, 2)
	stranger := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { shown <- r.Header.Get("Authorization") }))
	t.Cleanup(stranger.Close)
	replica := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown <- r.Header.Get("Authorization")
		http.Redirect(w, r, stranger.URL, http.StatusFound)
	}))
	t.Cleanup(replica.Close)
	var out spoken
	run(t.Context(), []string{"planners", "p", "--server", replica.URL}, lookupIn(map[string]string{"OC_TOKEN": " " + token + "\n"}), &out, &out)
	if first, second := <-shown, <-shown; first != "Bearer "+token || second != "" {
		t.Errorf("shown are %q and %q", first, second)
	}
}

func TestWhatIsNoTokenIsNotRepeated(t *testing.T) {
	t.Parallel()
	var out spoken
	code := run(t.Context(), []string{"planners", "--server", "127.0.0.1:1"}, lookupIn(map[string]string{"OC_TOKEN": "oct_a_s3cr3t\nX: y"}), &out, &out)
	if code != exitFailure || !strings.Contains(out.String(), "OC_TOKEN: not a token") || strings.Contains(out.String(), "s3cr3t") {
		t.Error(out.String())
	}
	for _, ttl := range []string{"-1s", "1500ms", "900000h"} {
		if code := run(t.Context(), []string{"token", "create", "n", "--role", "admin", "--ttl", ttl}, lookupIn(nil), &out, &out); code != exitFailure {
			t.Errorf("--ttl %s: exit %d", ttl, code)
		}
	}
}
