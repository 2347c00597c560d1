package httpapi_test

import (
	"encoding/base64"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"oc-scheduler/store/access"
	"oc-scheduler/store/sessions"
	"oc-scheduler/store/tokens"
)

// staying has the site's client follow no redirection.
func (s *site) staying() {
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
}

// form sends a form from a page of the site.
func (s *site) form(t *testing.T, path string, fields url.Values, header ...string) answer {
	t.Helper()
	return s.do(t, http.MethodPost, path, fields.Encode(),
		append([]string{"Origin", s.url, "Content-Type", "application/x-www-form-urlencoded"}, header...)...)
}

// logIn is the cookie of a browser that has shown a token.
func (s *site) logIn(t *testing.T, bearer string) string {
	t.Helper()
	got := s.form(t, "/ui/login", url.Values{"token": {strings.TrimPrefix(bearer, "Bearer ")}, "next": {"/ui/nodes?x=1"}}).ok(t, http.StatusSeeOther)
	if to := got.header.Get("Location"); to != "/ui/nodes?x=1" {
		t.Errorf("log-in leads to %s", to)
	}
	cookie, err := http.ParseSetCookie(got.header.Get("Set-Cookie"))
	if err != nil || cookie.Name != "oc" || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Domain != "" {
		t.Fatalf("the cookie is %v, %v", cookie, err)
	}
	return "oc=" + cookie.Value
}

// TestABrowserLogsInAndOut with a token, and sees pages in between.
func TestABrowserLogsInAndOut(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	s.staying()
	got := s.do(t, http.MethodGet, "/ui/workflows/a%2Fb?start=x", "").ok(t, http.StatusSeeOther)
	login := got.header.Get("Location")
	if login != "/ui/login?next=%2Fui%2Fworkflows%2Fa%252Fb%3Fstart%3Dx" {
		t.Errorf("who is not known is led to %s", login)
	}
	page := s.page(t, login, http.StatusOK)
	if !strings.Contains(page, `name="next" value="/ui/workflows/a%2Fb?start=x"`) || !strings.Contains(page, "<button>Log in</button>") || strings.Contains(page, "Dead letters") {
		t.Errorf("the log-in page is\n%s", page)
	}
	id, bearer := s.token(t, tokens.Draft{Role: access.Viewer, Name: "Ann"})
	cookie := s.logIn(t, bearer)
	got = s.do(t, http.MethodGet, "/ui/", "", "Cookie", cookie).ok(t, http.StatusOK)
	if !strings.Contains(string(got.body), "<button>Log out</button>") || !strings.Contains(string(got.body), "<bdi>Ann</bdi>") || got.header.Get("Cache-Control") != "no-store" {
		t.Errorf("the page is %v\n%s", got.header, got.body)
	}
	if to := s.do(t, http.MethodGet, "/ui/login?next=/ui/peers", "", "Cookie", cookie).ok(t, http.StatusSeeOther).header.Get("Location"); to != "/ui/peers" {
		t.Errorf("who is known is led to %s", to)
	}
	me := s.do(t, http.MethodGet, "/whoami", "", "Cookie", cookie).ok(t, http.StatusOK).json(t)
	if me["subject"] != "token:"+id || me["expires_at"] == nil {
		t.Errorf("I am %v", me)
	}
	s.do(t, http.MethodGet, "/whoami", "", "Cookie", cookie, "Authorization", "Bearer nonsense").problem(t, http.StatusUnauthorized)
	if to := s.form(t, "/ui/logout", nil, "Cookie", cookie).ok(t, http.StatusSeeOther).header; to.Get("Location") != "/ui/login" || !strings.Contains(to.Get("Set-Cookie"), "oc=; Path=/; Max-Age=0") {
		t.Errorf("after the log-out: %v", to)
	}
	s.do(t, http.MethodGet, "/ui/", "", "Cookie", cookie).ok(t, http.StatusSeeOther)
	s.do(t, http.MethodGet, "/whoami", "", "Cookie", cookie).problem(t, http.StatusUnauthorized)
	s.form(t, "/ui/logout", nil).ok(t, http.StatusSeeOther)
	for _, secret := range []string{strings.TrimPrefix(bearer, "Bearer "), strings.TrimPrefix(cookie, "oc=")} {
		if s.log.holds(secret) {
			t.Error("the log has a secret")
		}
	}
}

// TestABrowserKeepsItsSession: a client that keeps cookies sees pages without knowing of any of this.
func TestABrowserKeepsItsSession(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	s.client.Jar = jar
	fields := url.Values{"token": {" " + strings.TrimPrefix(s.as(t, access.Viewer), "Bearer ") + "\n"}, "next": {"/ui/peers"}}
	if got := s.form(t, "/ui/login", fields).ok(t, http.StatusOK); !strings.Contains(string(got.body), "<title>Peers") {
		t.Errorf("after the log-in comes\n%s", got.body)
	}
	s.page(t, "/ui/nodes", http.StatusOK)
}

// TestWhatIsNoLogIn is answered by the page, with the status.
func TestWhatIsNoLogIn(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	s.staying()
	for name, token := range map[string]string{"nothing": "", "nonsense": "nonsense", "nobody's": access.Mint().Reveal()} {
		got := s.form(t, "/ui/login", url.Values{"token": {token}, "next": {"//e.x"}}).ok(t, http.StatusUnauthorized)
		body := string(got.body)
		if got.header.Get("WWW-Authenticate") != "Bearer" || got.header.Get("Set-Cookie") != "" || !strings.Contains(body, `role="alert"`) || !strings.Contains(body, `name="next" value="/ui/"`) ||
			token != "" && strings.Contains(body, token) {
			t.Errorf("%s: %v\n%s", name, got.header, body)
		}
	}
	good := url.Values{"token": {strings.TrimPrefix(s.as(t, access.Viewer), "Bearer ")}}
	for _, path := range []string{"/ui/login", "/ui/logout"} {
		for _, origin := range []string{"https://evil.example", "null", "https" + strings.TrimPrefix(s.url, "http")} {
			got := s.do(t, http.MethodPost, path, good.Encode(), "Origin", origin, "Content-Type", "application/x-www-form-urlencoded").ok(t, http.StatusForbidden)
			if got.header.Get("Set-Cookie") != "" || !strings.Contains(string(got.body), "<h1>Forbidden</h1>") {
				t.Errorf("%s from %s: %v\n%s", path, origin, got.header, got.body)
			}
		}
	}
	s.do(t, http.MethodPost, "/ui/login", "token=%", "Origin", s.url).ok(t, http.StatusBadRequest)
	s.do(t, http.MethodPost, "/ui/login", good.Encode()).ok(t, http.StatusSeeOther) // no browser
	open := newSite(t, defaults)
	open.staying()
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		if to := open.do(t, method, "/ui/login", "").ok(t, http.StatusSeeOther).header.Get("Location"); to != "/ui/" {
			t.Errorf("where nobody has to log in, that leads to %s", to)
		}
	}
}

// TestALinkFromAnotherSite makes a browser keep the session back: the log-in page has it ask again.
func TestALinkFromAnotherSite(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	page := s.do(t, http.MethodGet, `/ui/login?next=/ui/peers%3Fq%3D%2522%2526`, "", "Sec-Fetch-Site", "cross-site").ok(t, http.StatusOK)
	if !strings.Contains(string(page.body), `<meta http-equiv="refresh" content="0; url=/ui/login?next=%2Fui%2Fpeers%3Fq%3D%2522%2526">`) {
		t.Errorf("the page is\n%s", page.body)
	}
}

// TestChangesWithASession take a page of this host: a browser shows the session whoever asks.
func TestChangesWithASession(t *testing.T) {
	t.Parallel()
	cfg := guarded()
	cfg.AllowOrigins = []string{"https://portal.example.org"}
	s := newSite(t, cfg)
	bearer := s.as(t, access.User)
	cookie := s.logInAnywhere(t, bearer)
	for origin, status := range map[string]int{s.url: http.StatusNotFound, "": http.StatusForbidden, "https://portal.example.org": http.StatusForbidden, "null": http.StatusForbidden} {
		header := []string{"Cookie", cookie}
		if origin != "" {
			header = append(header, "Origin", origin)
		}
		s.do(t, http.MethodDelete, "/oc/nothing", "", header...).problem(t, status)
	}
	s.do(t, http.MethodDelete, "/oc/nothing", "", "Cookie", cookie, "Authorization", bearer).problem(t, http.StatusNotFound) // it is not the session that is shown
	s.do(t, http.MethodPut, "/oc/w", sampleWorkflow("w", 8), "Authorization", bearer).ok(t, http.StatusCreated)
	s.closes(t, 4403, "/oc/w/check", http.Header{"Cookie": {cookie}, "Origin": {"https://portal.example.org"}}, "oc.check.v1")
	s.refused(t, "/oc/w/check", http.Header{"Cookie": {cookie}}, "oc.check.v1").problem(t, http.StatusForbidden)
}

func (s *site) logInAnywhere(t *testing.T, bearer string) string {
	t.Helper()
	s.staying()
	return s.logIn(t, bearer)
}

// TestStreamsOfASession end with it, and with its token; others of the token go on.
func TestStreamsOfASession(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	s.do(t, http.MethodPut, "/oc/w", sampleWorkflow("w", 8), "Authorization", s.as(t, access.User)).ok(t, http.StatusCreated)
	tokenID, bearer := s.token(t, tokens.Draft{Role: access.Viewer})
	first, second := s.logInAnywhere(t, bearer), s.logInAnywhere(t, bearer)
	dial := func(cookie string) *websocket.Conn {
		t.Helper()
		conn := s.dial(t, "/oc/w/check"+inDecember, &websocket.DialOptions{HTTPHeader: http.Header{"Cookie": {cookie}, "Origin": {s.url}}})
		receive(t, conn)
		return conn
	}
	ofFirst, ofSecond := dial(first), dial(second)
	results := s.listen(t, "/oc/w/check"+inDecember, "Cookie", first)
	results.must(t)
	ofToken := s.dial(t, "/oc/w/check"+inDecember, bearing(bearer))
	receive(t, ofToken)
	s.form(t, "/ui/logout", nil, "Cookie", first).ok(t, http.StatusSeeOther)
	closes(t, ofFirst, 4401)
	results.dismissed(t)
	s.plan(t, "peer-a", 8)
	receive(t, ofSecond)
	receive(t, ofToken)
	if err := s.store.Tokens.Revoke(t.Context(), tokenID); err != nil {
		t.Fatal(err)
	}
	closes(t, ofSecond, 4401)
	closes(t, ofToken, 4401)
	s.do(t, http.MethodGet, "/ui/", "", "Cookie", second).ok(t, http.StatusSeeOther)
}

// TestASessionOfAnotherReplica is known before the view shows it, and one is judged while NATS is away.
func TestASessionOfAnotherReplica(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	tokenID, bearer := s.token(t, tokens.Draft{Role: access.Viewer})
	e, _ := s.store.Tokens.View().Get(tokenID)
	cookie := s.logInAnywhere(t, bearer)
	for range 20 {
		id, _, err := s.store.Sessions.Begin(t.Context(), sessionOf(e.Value), time.Time{}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		s.do(t, http.MethodGet, "/whoami", "", "Cookie", "oc="+id).ok(t, http.StatusOK)
	}
	s.nats.Stop()
	s.do(t, http.MethodGet, "/whoami", "", "Cookie", cookie).ok(t, http.StatusOK)
	s.do(t, http.MethodGet, "/whoami", "", "Cookie", "oc=nonsense").problem(t, http.StatusUnauthorized)
	s.form(t, "/ui/login", url.Values{"token": {strings.TrimPrefix(bearer, "Bearer ")}}).ok(t, http.StatusServiceUnavailable)
	s.form(t, "/ui/logout", nil, "Cookie", cookie).ok(t, http.StatusServiceUnavailable)
}

// TestProtocolsAndSessions: what is shown by a page's own doing counts before what its browser adds.
func TestProtocolsAndSessions(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	s.do(t, http.MethodPut, "/oc/w", sampleWorkflow("w", 8), "Authorization", s.as(t, access.User)).ok(t, http.StatusCreated)
	cookie := s.logInAnywhere(t, s.as(t, access.Viewer))
	nobody := "oc.bearer." + base64.RawURLEncoding.EncodeToString([]byte(access.Mint().Reveal()))
	s.closes(t, 4401, "/oc/w/check", http.Header{"Cookie": {cookie}, "Origin": {s.url}}, "oc.check.v1", nobody)
}

// TestErrorsOfPagesAreForPeople, while a replica starts and when a role does not suffice.
func TestErrorsOfPagesAreForPeople(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	cookie := s.logInAnywhere(t, s.as(t, access.Viewer))
	got := s.form(t, "/ui/nodes/n/approve", nil, "Cookie", cookie).ok(t, http.StatusForbidden)
	if body := string(got.body); !strings.Contains(body, "<h1>Forbidden</h1>") || !strings.Contains(body, "operator") || got.header.Get("Cache-Control") != "no-store" {
		t.Errorf("the page is %v\n%s", got.header, body)
	}
	if to := s.form(t, "/ui/nodes/n/approve", nil, "Referer", s.url+"/ui/nodes/n").ok(t, http.StatusSeeOther).header.Get("Location"); to != "/ui/login?next=%2Fui%2Fnodes%2Fn" {
		t.Errorf("a form without a session leads to %s", to)
	}
	s.do(t, http.MethodPut, "/ui/nodes", "", "Cookie", cookie, "Origin", s.url).ok(t, http.StatusMethodNotAllowed)
	bare := newBareSite(t, guarded())
	bare.staying()
	bare.page(t, "/ui/login", http.StatusOK)
	if again := bare.do(t, http.MethodGet, "/ui/", "", "Cookie", cookie).ok(t, http.StatusServiceUnavailable).header.Get("Retry-After"); again == "" {
		t.Error("a page of a replica that starts does not say when to come again")
	}
	bare.do(t, http.MethodGet, "/ui/", "").ok(t, http.StatusSeeOther)
	bare.form(t, "/ui/login", url.Values{"token": {access.Mint().Reveal()}}).ok(t, http.StatusServiceUnavailable)
}

func sessionOf(token *tokens.Record) sessions.Record {
	return sessions.Record{Token: &sessions.Token{ID: token.ID, CreatedAt: token.CreatedAt}}
}
