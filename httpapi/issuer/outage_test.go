package issuer_test

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"oc-scheduler/httpapi/issuer"
	"oc-scheduler/internal/issuertest"
	"oc-scheduler/internal/natstest"
)

// clock is one that can be put forward.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time          { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) forward(d time.Duration) { c.ahead.Add(int64(d)) }

// TestAnIssuerThatTellsNoKeys is away for what it has signed by a new one, and no worse: known ones go on, and what
// it told wrongly is forgotten once it tells rightly.
func TestAnIssuerThatTellsNoKeys(t *testing.T) {
	t.Parallel()
	real := issuertest.Start(t)
	var c clock
	i := known(t, real, c.now)
	next := issuertest.RSA(t, "next")
	for name, answer := range map[string]http.HandlerFunc{
		"503":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"HTML":   func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>sorry</html>")) },
		"no key": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"keys":[]}`)) },
		"no end": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"keys":["` + strings.Repeat("a", 2<<20)))
		},
		"a secret": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"keys":[{"kty":"oct","k":"c2VjcmV0","kid":"next"}]}`))
		},
		"elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://evil.example/keys", http.StatusFound)
		},
	} {
		real.Answer(answer)
		c.forward(4 * time.Second)
		if _, err := i.Bearer(t.Context(), next.Sign(t, real.Claims(nil))); !errors.Is(err, issuer.ErrAway) {
			t.Errorf("%s: a new key is %v", name, err)
		}
		if _, err := i.Bearer(t.Context(), real.Token(t, nil)); err != nil || i.Err() == nil {
			t.Errorf("%s: a known key is %v", name, err)
		}
	}
	real.Answer(nil)
	real.Publish(next)
	c.forward(4 * time.Second)
	if _, err := i.Bearer(t.Context(), next.Sign(t, real.Claims(nil))); err != nil || i.Err() != nil {
		t.Errorf("afterwards: %v", err)
	}
	if _, err := i.Bearer(t.Context(), real.Token(t, nil)); !errors.Is(err, issuer.ErrRefused) {
		t.Errorf("a key that has left: %v", err)
	}
}

// TestAnIssuerThatIsAwayAtTheStart refuses what is bad anyway, and is asked again for the rest.
func TestAnIssuerThatIsAwayAtTheStart(t *testing.T) {
	t.Parallel()
	real := issuertest.Start(t)
	real.Answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	var c clock
	i, err := issuer.New(issuer.Config{URL: real.URL, Audience: issuertest.Audience}, slog.New(slog.DiscardHandler), c.now)
	if err != nil {
		t.Fatal(err)
	}
	natstest.Run(t, i.Run)
	if _, err := i.Bearer(t.Context(), real.Token(t, nil)); !errors.Is(err, issuer.ErrAway) {
		t.Error(err)
	}
	if _, err := i.Bearer(t.Context(), real.Token(t, map[string]any{"aud": "x"})); !errors.Is(err, issuer.ErrRefused) {
		t.Error(err)
	}
	real.Answer(nil)
	c.forward(4 * time.Second)
	if _, err := i.Bearer(t.Context(), real.Token(t, nil)); err != nil {
		t.Error(err)
	}
}

func TestConfigurationsOfIssuers(t *testing.T) {
	t.Parallel()
	const good = "https://login.example.org/realm"
	for name, c := range map[string]struct {
		cfg    issuer.Config
		faults []string
	}{
		"none":         {issuer.Config{}, nil},
		"all":          {issuer.Config{URL: good, Audience: "a", Roles: []string{"g=user"}, ClientID: "c"}, nil},
		"http, here":   {issuer.Config{URL: "http://127.0.0.1:1/x", Audience: "a"}, nil},
		"http":         {issuer.Config{URL: "http://login.example.org", Audience: "a"}, []string{"--oidc-issuer"}},
		"query":        {issuer.Config{URL: good + "?a=b", Audience: "a"}, []string{"--oidc-issuer"}},
		"password":     {issuer.Config{URL: "https://a:b@login.example.org", Audience: "a"}, []string{"--oidc-issuer"}},
		"no audience":  {issuer.Config{URL: good}, []string{"--oidc-audience"}},
		"all is wrong": {issuer.Config{Audience: "a", Roles: []string{"x"}, ClientID: "c"}, []string{"--oidc-issuer and", "--oidc-role needs", "--oidc-client-id", "--oidc-role: entry 1"}},
		"no role":      {issuer.Config{URL: good, Audience: "a", Roles: []string{"g=root"}}, []string{"--oidc-role: entry 1"}},
		"no value":     {issuer.Config{URL: good, Audience: "a", Roles: []string{"=user"}}, []string{"--oidc-role: entry 1"}},
	} {
		err := c.cfg.Validate()
		if (err == nil) != (c.faults == nil) {
			t.Errorf("%s: %v", name, err)
		}
		for _, fault := range c.faults {
			if !strings.Contains(err.Error(), fault) || strings.Contains(err.Error(), "a:b@") {
				t.Errorf("%s: %v does not name %s", name, err, fault)
			}
		}
	}
}
