package httpapi_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"oc-scheduler/httpapi"
	"oc-scheduler/store/access"
	"oc-scheduler/store/tokens"
)

// guarded are the defaults of a site where who asks has to say who he is.
func guarded() httpapi.Config {
	cfg := defaults
	cfg.Auth = true
	return cfg
}

// token makes a token past HTTP, and waits until the site knows it.
func (s *site) token(t testing.TB, d tokens.Draft) (id, bearer string) {
	t.Helper()
	if d.Name == "" {
		d.Name = d.Role.String()
	}
	made, c, err := s.store.Tokens.Create(t.Context(), d, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, shown := s.store.Tokens.View().Get(made.ID); shown {
			return made.ID, "Bearer " + c.Reveal()
		}
		pause(t)
	}
}

// as is the bearer of a new token of a role.
func (s *site) as(t testing.TB, role access.Role, groups ...string) string {
	t.Helper()
	_, bearer := s.token(t, tokens.Draft{Role: role, Groups: groups})
	return bearer
}

// logIns are open, but say 401 of what is shown to them as a log-in.
var logIns = []string{"POST /ui/login", "GET /ui/callback"}

// TestEveryRouteForEverybody tries each route with each role, and with the less common ways of being nobody.
func TestEveryRouteForEverybody(t *testing.T) {
	t.Parallel()
	cfg, real := vouched(t)
	s := newSite(t, cfg)
	s.staying()
	nobody := s.nobodies(t)
	for name, claims := range map[string]map[string]any{
		"of another issuer": {"iss": "https://evil.example"}, "of the issuer, expired": {"exp": time.Now().Unix() - 60},
	} {
		claims["roles"] = "admin"
		nobody[name] = []string{"Authorization", "Bearer " + real.Token(t, claims)}
	}
	const onPages = "a session of nobody" // which are judged in the same place
	nobody[onPages] = []string{"Cookie", "oc=nobody", "Origin", s.url}
	bearers := map[string]string{}
	for _, name := range access.Roles() {
		role, err := access.ParseRole(name)
		if err != nil {
			t.Fatal(err)
		}
		bearers[name] = s.as(t, role)
	}
	vouchedFor := "Bearer " + real.Token(t, nil) // the issuer knows him, and nobody gives him a role
	for _, route := range documentedRoutes(t) {
		if !slices.Contains(s.Served(), route) {
			t.Errorf("%s is documented, and not served", route)
		}
	}
	for _, route := range append(s.Served(), "GET /nowhere", "PATCH /oc/{id}", "POST /livez", "GET /readyz?verbose", "OPTIONS /oc") {
		is, known := decided[route]
		needed := is.least
		if !known {
			t.Errorf("nobody has decided who may %s", route)
			continue
		}
		if slices.Contains(logIns, route) {
			continue
		}
		method, path, _ := strings.Cut(route, " ")
		path = strings.NewReplacer("{id}", "nothing", "{peer}", "nothing").Replace(path)
		for name, header := range nobody {
			if strings.HasPrefix(path, "/ui/") && name != onPages {
				continue
			}
			a := s.do(t, method, path, "", header...)
			if needed == "" {
				if a.status == http.StatusUnauthorized || a.status == http.StatusForbidden {
					t.Errorf("%s with %s: %d, but it is open", route, name, a.status)
				}
				continue
			}
			if strings.HasPrefix(path, "/ui/") { // people are asked who they are
				if a.status != http.StatusSeeOther || !strings.HasPrefix(a.header.Get("Location"), "/ui/login") {
					t.Errorf("%s with %s: %d %v", route, name, a.status, a.header)
				}
				continue
			}
			if p := a.problem(t, http.StatusUnauthorized); a.header.Get("WWW-Authenticate") != "Bearer" || p["detail"] != "this takes valid credentials" {
				t.Errorf("%s with %s: %s %v", route, name, a.header, p)
			}
		}
		if a := s.do(t, method, path, "", "Authorization", vouchedFor); needed != "" && a.status != http.StatusForbidden {
			t.Errorf("%s without a role: %d %s", route, a.status, a.body)
		}
		least, _ := access.ParseRole(needed)
		for name, bearer := range bearers {
			role, _ := access.ParseRole(name)
			a := s.do(t, method, path, "", "Authorization", bearer)
			if role >= least {
				if a.status == http.StatusUnauthorized || a.status == http.StatusForbidden {
					t.Errorf("%s as %s: %d %s", route, name, a.status, a.body)
				}
				continue
			}
			if strings.HasPrefix(path, "/ui/") {
				if !strings.Contains(string(a.ok(t, http.StatusForbidden).body), "this takes the role "+needed) {
					t.Errorf("%s as %s: %s does not name %s", route, name, a.body, needed)
				}
				continue
			}
			if p := a.problem(t, http.StatusForbidden); !strings.Contains(p["detail"].(string), needed) {
				t.Errorf("%s as %s: %v does not name %s", route, name, p["detail"], needed)
			}
		}
	}
}

// nobodies are the headers of those who show what cannot be read, or what nobody gave; see invalid for the others.
func (s *site) nobodies(t *testing.T) map[string][]string {
	t.Helper()
	id, good := s.token(t, tokens.Draft{Role: access.Admin})
	coded := base64.RawURLEncoding.EncodeToString([]byte(strings.TrimPrefix(good, "Bearer ")))
	return map[string][]string{
		"an empty header": {"Authorization", ""}, "no scheme": {"Authorization", strings.TrimPrefix(good, "Bearer ")},
		"another scheme": {"Authorization", "Basic " + strings.TrimPrefix(good, "Bearer ")}, "no token": {"Authorization", "Bearer"},
		"more than a token":  {"Authorization", good + " x"},
		"two headers":        {"Authorization", good, "Authorization", good},
		"an unknown id":      {"Authorization", "Bearer " + access.Mint().Reveal()},
		"another secret":     {"Authorization", "Bearer " + access.MintAs(id).Reveal()},
		"a header that wins": {"Authorization", "Bearer nonsense", "Sec-WebSocket-Protocol", "oc.check.v1, oc.bearer." + coded},
		"a broken protocol":  {"Sec-WebSocket-Protocol", "oc.check.v1, oc.bearer." + coded + "="},
		"two protocols":      {"Sec-WebSocket-Protocol", "oc.bearer." + coded + ", oc.bearer." + coded},
	}
}

func documentedRoutes(t *testing.T) (routes []string) {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(document, &doc); err != nil {
		t.Fatal(err)
	}
	for path, members := range doc.Paths {
		for method := range members {
			if method != "parameters" {
				routes = append(routes, strings.ToUpper(method)+" "+path)
			}
		}
	}
	return routes
}

// TestWithoutAuthEverybodyIsAdministrator, whatever he shows.
func TestWithoutAuthEverybodyIsAdministrator(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	for _, header := range [][]string{nil, {"Authorization", "Bearer nonsense"}} {
		got := s.do(t, http.MethodGet, "/whoami", "", header...).ok(t, http.StatusOK).json(t)
		if got["subject"] != "anonymous" || got["role"] != "admin" || got["expires_at"] != nil {
			t.Errorf("I am %v", got)
		}
	}
	s.do(t, http.MethodGet, "/metrics", "").ok(t, http.StatusOK)
}

// TestBeforeTheTokensAreKnown nobody is refused who may be somebody.
func TestBeforeTheTokensAreKnown(t *testing.T) {
	t.Parallel()
	s := newBareSite(t, guarded())
	p := s.do(t, http.MethodGet, "/oc", "", "Authorization", "Bearer "+access.Mint().Reveal())
	if p.problem(t, http.StatusServiceUnavailable); p.header.Get("Retry-After") == "" {
		t.Error(p.header)
	}
	s.do(t, http.MethodGet, "/oc", "").problem(t, http.StatusUnauthorized)
	s.do(t, http.MethodGet, "/oc", "", "Authorization", "Bearer nonsense").problem(t, http.StatusUnauthorized)
	s.do(t, http.MethodGet, "/livez", "").ok(t, http.StatusOK)
}

// TestTokensAreJudgedWhileNATSIsAway by what was known before.
func TestTokensAreJudgedWhileNATSIsAway(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	admin := s.as(t, access.Admin)
	s.nats.Stop()
	s.do(t, http.MethodGet, "/oc", "", "Authorization", admin).ok(t, http.StatusOK)
	s.do(t, http.MethodGet, "/oc", "", "Authorization", "Bearer "+access.Mint().Reveal()).problem(t, http.StatusUnauthorized)
	s.do(t, http.MethodPost, "/tokens", `{"name":"n","role":"viewer"}`, "Authorization", admin).problem(t, http.StatusServiceUnavailable)
}

// TestATokenOfAnotherReplica is known before the view shows it.
func TestATokenOfAnotherReplica(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	for range 20 {
		made, c, err := s.store.Tokens.Create(t.Context(), tokens.Draft{Name: "n", Role: access.Viewer}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		got := s.do(t, http.MethodGet, "/whoami", "", "Authorization", "Bearer "+c.Reveal()).ok(t, http.StatusOK).json(t)
		if got["subject"] != "token:"+made.ID {
			t.Error(got)
		}
	}
}

// TestPagesOfOtherOriginsMayAsk with credentials, and learn why not.
func TestPagesOfOtherOriginsMayAsk(t *testing.T) {
	t.Parallel()
	cfg := guarded()
	cfg.AllowOrigins = []string{"https://portal.example.org"}
	s := newSite(t, cfg)
	origin := []string{"Origin", "https://portal.example.org"}
	a := s.do(t, http.MethodOptions, "/oc", "", append(origin, "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "authorization")...)
	if a.status != http.StatusNoContent || !strings.Contains(a.header.Get("Access-Control-Allow-Headers"), "Authorization") {
		t.Errorf("preflight: %d %v", a.status, a.header)
	}
	a = s.do(t, http.MethodGet, "/oc", "", origin...)
	if a.problem(t, http.StatusUnauthorized); a.header.Get("Access-Control-Allow-Origin") != origin[1] {
		t.Error(a.header)
	}
}

// TestASocketShowsItsTokenAsSubprotocol, which is not echoed and is no protocol.
func TestASocketShowsItsTokenAsSubprotocol(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	s.do(t, http.MethodPut, "/oc/w", sampleWorkflow("w", 8), "Authorization", s.as(t, access.User)).ok(t, http.StatusCreated)
	token := strings.TrimPrefix(s.as(t, access.Viewer), "Bearer ")
	protocol := "oc.bearer." + base64.RawURLEncoding.EncodeToString([]byte(token))
	conn := s.dial(t, "/oc/w/check?duration=1h", &websocket.DialOptions{Subprotocols: []string{"oc.check.v1", protocol}})
	if conn.Subprotocol() != "oc.check.v1" {
		t.Errorf("the protocol is %q", conn.Subprotocol())
	}
	if got := receive(t, conn); got["type"] != "result" {
		t.Error(got)
	}
	s.refused(t, "/oc/w/check?duration=1h", nil, protocol).problem(t, http.StatusBadRequest)
	s.refused(t, "/oc/w/check?duration=1h", nil, "oc.check.v1").problem(t, http.StatusUnauthorized)
	s.refused(t, "/oc/nothing/check?duration=1h", nil, "oc.check.v1").problem(t, http.StatusUnauthorized)
	if s.log.holds(token) || s.log.holds(protocol) {
		t.Error("the log has the token")
	}
}

// TestChangesAreLoggedWithTheirSubject, and reads are not.
func TestChangesAreLoggedWithTheirSubject(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	id, bearer := s.token(t, tokens.Draft{Role: access.User})
	s.do(t, http.MethodDelete, "/oc/nothing", "", "Authorization", bearer).problem(t, http.StatusNotFound)
	if line := fmt.Sprintf(`msg="asked for a change" component=httpapi method=DELETE path=/oc/nothing subject=token:%s`, id); !s.log.holds(line) {
		t.Errorf("the log lacks %q:\n%s", line, s.log)
	}
}
