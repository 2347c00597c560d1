package httpapi_test

import (
	"bufio"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2/clientcredentials"

	"oc-scheduler/httpapi/issuer"
	"oc-scheduler/internal/issuertest"
	"oc-scheduler/internal/modtest"
	"oc-scheduler/internal/natstest"
)

// realIssuer starts an issuer that is not of our making, and returns its URL. It is a program of a module of its own.
func realIssuer(t *testing.T) (address string) {
	t.Helper()
	program := exec.CommandContext(t.Context(), modtest.Build(t, filepath.Join("testdata", "issuer"), "."))
	program.Stderr = os.Stderr
	stdin, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = program.Wait() // the context of the test has ended it, or the end of its input
	})
	address, err = bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(address)
}

// atRealIssuer is a guarded site that believes such an issuer, and the URL of the latter.
func atRealIssuer(t *testing.T) (s *site, address string) {
	t.Helper()
	address = realIssuer(t)
	i, err := issuer.New(issuer.Config{
		URL: address, Audience: issuertest.Audience, Roles: []string{"oc-users=user"}, ClientID: issuertest.Client, ClientSecret: issuertest.Secret,
	}, slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	natstest.Run(t, i.Run)
	cfg := guarded()
	cfg.Issuer = i
	return newSite(t, cfg), address
}

// TestARealIssuer: people log in there by code and PKCE, and land on the page that they asked for; machines show the
// tokens that it gives them.
func TestARealIssuer(t *testing.T) {
	t.Parallel()
	s, address := atRealIssuer(t)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	s.client.Jar = jar
	at, _ := s.visit(t, http.MethodGet, s.url+"/ui/login/issuer?next=%2Fui%2Fpeers", nil)
	if !strings.HasPrefix(at.String(), address+"login/username?authRequestID=") {
		t.Fatalf("the log-in leads to %s", at)
	}
	asks := url.Values{"id": {at.Query().Get("authRequestID")}, "username": {"test-user2"}, "password": {"verysecure"}}
	at, page := s.visit(t, http.MethodPost, address+"login/username", asks)
	if at.String() != s.url+"/ui/peers" || !strings.Contains(string(page), "<title>Peers") {
		t.Fatalf("the log-in ends at %s with %s", at, page)
	}
	me := s.do(t, http.MethodGet, "/whoami", "").ok(t, http.StatusOK).json(t)
	if me["subject"] != "oidc:id2" || me["name"] != "Test User2" || me["role"] != "user" || len(me["groups"].([]any)) != 2 {
		t.Errorf("I am %v", me)
	}
	s.form(t, "/ui/logout", nil).ok(t, http.StatusOK)
	s.client.Jar = nil

	var told struct {
		Token string `json:"token_endpoint"`
	}
	if _, doc := s.visit(t, http.MethodGet, address+".well-known/openid-configuration", nil); json.Unmarshal(doc, &told) != nil {
		t.Fatalf("the issuer tells of itself %s", doc)
	}
	machine := clientcredentials.Config{ClientID: "sid1", ClientSecret: "verysecret", TokenURL: told.Token, Scopes: []string{"openid"}}
	given, err := machine.Token(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	me = s.do(t, http.MethodGet, "/whoami", "", "Authorization", "Bearer "+given.AccessToken).ok(t, http.StatusOK).json(t)
	if me["subject"] != "oidc:sid1" || me["role"] != "user" {
		t.Errorf("the machine is %v", me)
	}
	forged := given.AccessToken[:len(given.AccessToken)-8] + "AAAAAAAA"
	s.do(t, http.MethodGet, "/whoami", "", "Authorization", "Bearer "+forged).problem(t, http.StatusUnauthorized)
}

// visit goes where a browser would, with a form where there is one; at is where that leads.
func (s *site) visit(t *testing.T, method, address string, form url.Values) (at *url.URL, page []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	page, err = io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s %s ends at %s with %s %v", method, address, answer.Request.URL, answer.Status, err)
	}
	return answer.Request.URL, page
}
