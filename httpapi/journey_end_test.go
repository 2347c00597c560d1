package httpapi_test

import (
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"oc-scheduler/httpapi"
	"oc-scheduler/internal/issuertest"
	"oc-scheduler/store/access"
)

// arrived is the session of somebody who has logged in at the issuer.
func (s *site) arrived(t *testing.T, real *issuertest.Issuer, person map[string]any) (cookie string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := s.client
	s.client = &http.Client{Transport: client.Transport, Jar: jar}
	defer func() { s.client = client }()
	real.LogsIn(person)
	s.page(t, "/ui/login/issuer", http.StatusOK)
	at, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range jar.Cookies(at) {
		if c.Name == "oc" {
			return "oc=" + c.Value
		}
	}
	t.Fatal("no session")
	return ""
}

// TestASessionEndsWithTheKeyThatSignedForIt: an issuer that takes the key back takes back its word, and so does an
// operator who takes the issuer away. One that does not answer has said nothing.
func TestASessionEndsWithTheKeyThatSignedForIt(t *testing.T) {
	t.Parallel()
	real := issuertest.Start(t)
	var ahead atomic.Int64
	s := newSite(t, believing(t, real, func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }))
	s.do(t, http.MethodPut, "/oc/w", sampleWorkflow("w", 8), "Authorization", s.as(t, access.User)).ok(t, http.StatusCreated)
	cookie := s.arrived(t, real, map[string]any{"sub": "bob", "groups": []string{"viewer"}})
	page := &websocket.DialOptions{HTTPHeader: http.Header{"Cookie": {cookie}, "Origin": {s.url}}}
	conn := s.dial(t, "/oc/w/check"+inDecember, page)
	receive(t, conn)
	ofToken := s.dial(t, "/oc/w/check"+inDecember, bearing(s.as(t, access.Viewer)))
	receive(t, ofToken)

	s.beside(t, guarded()).asks(t, http.MethodGet, "/whoami", http.StatusUnauthorized, "Cookie", cookie) // a replica that believes no issuer
	real.Answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	s.beside(t, believing(t, real, time.Now)).asks(t, http.MethodGet, "/whoami", http.StatusOK, "Cookie", cookie) // one that began while the issuer was away
	real.Answer(nil)

	next := issuertest.RSA(t, "next")
	real.Publish(next)
	ahead.Store(int64(time.Minute)) // so that the keys are asked for again
	s.do(t, http.MethodGet, "/whoami", "", "Authorization", "Bearer "+next.Sign(t, real.Claims(map[string]any{"groups": []string{"viewer"}}))).ok(t, http.StatusOK)
	closes(t, conn, 4401)
	s.do(t, http.MethodGet, "/whoami", "", "Cookie", cookie).problem(t, http.StatusUnauthorized)
	s.plan(t, "peer-a", 8)
	receive(t, ofToken)
	s.beside(t, believing(t, real, time.Now)).asks(t, http.MethodGet, "/whoami", http.StatusUnauthorized, "Cookie", cookie) // one that asks for itself
}

// replica is one that serves what another does.
type replica struct{ *httptest.Server }

// beside is another replica of a site, which has a configuration of its own.
func (s *site) beside(t *testing.T, cfg httpapi.Config) replica {
	t.Helper()
	server, err := httpapi.New(cfg, nil, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		t.Fatal(err)
	}
	server.Attach(s.parts)
	r := replica{httptest.NewServer(server.Handler())}
	t.Cleanup(r.Close)
	return r
}

// asks holds an answer of the replica to have a status.
func (r replica) asks(t *testing.T, method, path string, status int, name, value string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, r.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set(name, value)
	answer, err := r.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != status {
		t.Errorf("%s %s is answered with %d, want %d", method, path, answer.StatusCode, status)
	}
}
