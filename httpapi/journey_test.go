package httpapi_test

import (
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"oc-scheduler/httpapi"
	"oc-scheduler/httpapi/issuer"
	"oc-scheduler/internal/issuertest"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/access"
)

// vouched are the defaults of a guarded site that believes an issuer, by which values that are names of roles give
// those.
func vouched(t *testing.T) (httpapi.Config, *issuertest.Issuer) {
	t.Helper()
	real := issuertest.Start(t)
	return believing(t, real, time.Now), real
}

// believing are the defaults of a guarded site that believes an issuer, by a clock of the latter's.
func believing(t *testing.T, real *issuertest.Issuer, now func() time.Time) httpapi.Config {
	t.Helper()
	var roles []string
	for _, role := range access.Roles() {
		roles = append(roles, role+"="+role)
	}
	i, err := issuer.New(issuer.Config{
		URL: real.URL, Audience: issuertest.Audience, Roles: roles, ClientID: issuertest.Client, ClientSecret: issuertest.Secret,
	}, slog.New(slog.DiscardHandler), now)
	if err != nil {
		t.Fatal(err)
	}
	natstest.Run(t, i.Run)
	cfg := guarded()
	cfg.Issuer = i
	return cfg
}

// TestTokensOfAnIssuer say who asks, in which groups, and for how long: their streams end with them.
func TestTokensOfAnIssuer(t *testing.T) {
	t.Parallel()
	cfg, real := vouched(t)
	s := newSite(t, cfg)
	bearer := "Bearer " + real.Token(t, map[string]any{"groups": []string{"a", "user"}, "preferred_username": "ann", "exp": 1 << 33})
	me := s.do(t, http.MethodGet, "/whoami", "", "Authorization", bearer).ok(t, http.StatusOK).json(t)
	if me["subject"] != "oidc:ann" || me["name"] != "ann" || me["role"] != "user" || len(me["groups"].([]any)) != 2 || me["expires_at"] != "2242-03-16T12:56:32Z" {
		t.Errorf("I am %v", me)
	}
	s.do(t, http.MethodPut, "/oc/w", sampleWorkflow("w", 8), "Authorization", bearer).ok(t, http.StatusCreated)
	s.do(t, http.MethodGet, "/oc/w", "", "Authorization", "Bearer "+real.Token(t, map[string]any{"groups": []string{"b", "viewer"}})).problem(t, http.StatusNotFound)
	s.do(t, http.MethodGet, "/oc/w", "", "Authorization", "Bearer "+real.Token(t, map[string]any{"groups": []string{"a", "viewer"}})).ok(t, http.StatusOK)
	s.do(t, http.MethodGet, "/oc", "", "Authorization", "Bearer "+real.Token(t, nil)).problem(t, http.StatusForbidden) // no role
	for err := error(nil); ; {                                                                                         // a slow machine may come too late
		ending := "Bearer " + real.Token(t, map[string]any{"groups": []string{"a", "viewer"}, "exp": time.Now().Unix() - 27})
		conn, refused := s.connect(t.Context(), "/oc/w/check", bearing(ending))
		if refused == nil {
			closes(t, conn, 4401)
			break
		}
		if err == nil {
			err = refused
		}
		if t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
}

// TestAnIssuerThatIsAway concerns those alone whom it has vouched for.
func TestAnIssuerThatIsAway(t *testing.T) {
	t.Parallel()
	cfg, real := vouched(t)
	real.Answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	unknown, err := issuer.New(issuer.Config{URL: real.URL, Audience: issuertest.Audience}, slog.New(slog.DiscardHandler), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Issuer = unknown
	s := newSite(t, cfg)
	p := s.do(t, http.MethodGet, "/oc", "", "Authorization", "Bearer "+real.Token(t, nil))
	if p.problem(t, http.StatusServiceUnavailable); p.header.Get("Retry-After") == "" {
		t.Error(p.header)
	}
	s.do(t, http.MethodGet, "/oc", "", "Authorization", "Bearer "+real.Token(t, map[string]any{"aud": "x"})).problem(t, http.StatusUnauthorized)
	s.do(t, http.MethodGet, "/oc", "", "Authorization", s.as(t, access.Viewer)).ok(t, http.StatusOK)
	s.staying()
	s.do(t, http.MethodGet, "/ui/login/issuer", "").ok(t, http.StatusNotFound) // there is no client
}

// TestPeopleLogInAtTheIssuer, and land on the page that they asked for.
func TestPeopleLogInAtTheIssuer(t *testing.T) {
	t.Parallel()
	cfg, real := vouched(t)
	s := newSite(t, cfg)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	s.client.Jar = jar
	real.LogsIn(map[string]any{"sub": "bob", "name": "Bob", "groups": []string{"viewer"}})
	if page := s.page(t, "/ui/peers?x=1", http.StatusOK); !strings.Contains(page, `href="/ui/login/issuer?next=%2fui%2fpeers%3fx%3d1"`) {
		t.Errorf("the log-in page is\n%s", page)
	}
	if page := s.page(t, "/ui/login/issuer?next=%2fui%2fpeers", http.StatusOK); !strings.Contains(page, "<title>Peers") || !strings.Contains(page, "<bdi>Bob</bdi>") {
		t.Errorf("after the log-in comes\n%s", page)
	}
	me := s.do(t, http.MethodGet, "/whoami", "").ok(t, http.StatusOK).json(t)
	if me["subject"] != "oidc:bob" || me["role"] != "viewer" {
		t.Errorf("I am %v", me)
	}
	s.form(t, "/ui/logout", nil).ok(t, http.StatusOK)
	s.do(t, http.MethodGet, "/whoami", "").problem(t, http.StatusUnauthorized)
	real.LogsIn(map[string]any{"groups": []string{"nothing"}})
	if page := s.page(t, "/ui/login/issuer", http.StatusForbidden); !strings.Contains(page, "no role here") {
		t.Errorf("who has no role sees\n%s", page)
	}
	for name, claims := range map[string]map[string]any{"another nonce": {"nonce": "x"}, "another audience": {"aud": issuertest.Audience}, "another party": {"azp": "x"}, "over": {"exp": 1}} {
		real.LogsIn(claims)
		if page := s.page(t, "/ui/login/issuer", http.StatusUnauthorized); !strings.Contains(page, `role="alert"`) {
			t.Errorf("%s: %s", name, page)
		}
	}
	s.do(t, http.MethodGet, "/whoami", "").problem(t, http.StatusUnauthorized)
}

// TestWhatComesBackFromTheIssuer counts for the browser that was sent there, once.
func TestWhatComesBackFromTheIssuer(t *testing.T) {
	t.Parallel()
	cfg, real := vouched(t)
	s := newSite(t, cfg)
	s.staying()
	real.LogsIn(map[string]any{"groups": []string{"viewer"}})
	depart := func() (cookie string, back *url.URL) {
		t.Helper()
		got := s.do(t, http.MethodGet, "/ui/login/issuer?next=//evil.example", "").ok(t, http.StatusSeeOther)
		kept, err := http.ParseSetCookie(got.header.Get("Set-Cookie"))
		if err != nil || kept.Name != "oc-login" || !kept.HttpOnly || kept.SameSite != http.SameSiteLaxMode || kept.MaxAge != 600 {
			t.Fatal(kept, err)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, got.header.Get("Location"), nil)
		if err != nil {
			t.Fatal(err)
		}
		at, err := s.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = at.Body.Close()
		if back, err = url.Parse(at.Header.Get("Location")); err != nil || !strings.HasPrefix(back.String(), s.url+"/ui/callback?") {
			t.Fatal(back, err)
		}
		return "oc-login=" + kept.Value, back
	}
	cookie, back := depart()
	other, _ := depart()
	for name, c := range map[string][]string{"no cookie": nil, "another log-in's": {"Cookie", other}, "broken": {"Cookie", "oc-login=%%"}, "two": {"Cookie", cookie + "; " + other}} {
		if got := s.do(t, http.MethodGet, back.RequestURI(), "", c...).ok(t, http.StatusUnauthorized); strings.Contains(got.header.Get("Set-Cookie"), "oc=") {
			t.Errorf("%s: %v", name, got.header)
		}
	}
	s.do(t, http.MethodGet, back.RequestURI()+"&iss=https://evil.example", "", "Cookie", cookie).ok(t, http.StatusUnauthorized)
	s.do(t, http.MethodGet, "/ui/callback?error=access_denied&state="+back.Query().Get("state"), "", "Cookie", cookie).ok(t, http.StatusUnauthorized)
	got := s.do(t, http.MethodGet, back.RequestURI(), "", "Cookie", cookie).ok(t, http.StatusSeeOther)
	if set := strings.Join(got.header.Values("Set-Cookie"), "\n"); got.header.Get("Location") != "/ui/" || !strings.Contains(set, "oc-login=; Path=/; Max-Age=0") || !strings.Contains(set, "\noc=") {
		t.Errorf("the log-in ends with %v", got.header)
	}
	s.do(t, http.MethodGet, back.RequestURI(), "", "Cookie", cookie).ok(t, http.StatusUnauthorized) // the code was used
	if code := back.Query().Get("code"); s.log.holds(code) {
		t.Error("the log has the code")
	}
}
