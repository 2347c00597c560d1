package httpapi_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/issuertest"
	"oc-scheduler/store/access"
	"oc-scheduler/store/tokens"
)

// keptFromNobody tries each route about what belongs to an own and to a foreign group with the credentials of each role
// that are none: the answer is the same whatever is asked about, and nothing comes of it.
func (s *site) keptFromNobody(t *testing.T, real *issuertest.Issuer, own, foreign estate) {
	t.Helper()
	s.DoubtAtWill()
	credentials := s.invalid(t, real, "group-own")
	for _, route := range slices.Sorted(maps.Keys(decided)) {
		for name, bearer := range credentials {
			for _, of := range []estate{own, foreign, {}} {
				what := fmt.Sprintf("%s of %s with %s", route, of["workflows"], name)
				a := s.direct(t, route, of, bearer)
				switch asksWho := strings.HasPrefix(a.header.Get("Location"), "/ui/login"); {
				case decided[route].least == "":
					if slices.Contains([]int{403, 500}, a.status) {
						t.Errorf("%s: %d, but it is open", what, a.status)
					}
				case strings.Contains(route, " /ui/"):
					if a.status != http.StatusSeeOther || !asksWho {
						t.Errorf("%s: %d %v", what, a.status, a.header)
					}
					continue // the address, with what it is about, comes back
				case a.header.Get("WWW-Authenticate") != "Bearer" || a.problem(t, http.StatusUnauthorized)["detail"] != "this takes valid credentials":
					t.Errorf("%s: %v %s", what, a.header, a.body)
				}
				own.silent(t, what, a)
				foreign.silent(t, what, a)
			}
		}
	}
}

// direct is tried without a connection, for as long as nothing but a refusal is expected: there are thousands of these.
func (s *site) direct(t *testing.T, route string, of estate, bearer string) answer {
	t.Helper()
	method, path, body, header := of.asked(route)
	here := net.TCPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:1"))
	r := httptest.NewRequestWithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, here), method, s.url+path, strings.NewReader(body))
	r.RemoteAddr = here.String()
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	if bearer != "" {
		r.Header.Set("Authorization", bearer)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return answer{w.Code, w.Header(), bytes.Clone(w.Body.Bytes())}
}

// invalid are credentials of each role in a group that are none, or none any more.
func (s *site) invalid(t *testing.T, real *issuertest.Issuer, group string) map[string]string {
	t.Helper()
	all := map[string]string{"nothing": "", "a malformed token": "Bearer nonsense"}
	ended := map[string]bool{}
	for _, name := range access.Roles() {
		role, err := access.ParseRole(name)
		if err != nil {
			t.Fatal(err)
		}
		draft := tokens.Draft{Role: role, Groups: []string{group}}
		_, good := s.token(t, draft)
		all["half a token of a "+name] = good[:len(good)-1]
		revoked, bearer := s.token(t, draft)
		if err := s.store.Tokens.Revoke(t.Context(), revoked); err != nil {
			t.Fatal(err)
		}
		all["a revoked token of a "+name], ended[revoked] = bearer, true
		draft.TTL = time.Second
		expired, bearer := s.token(t, draft)
		all["an expired token of a "+name], ended[expired] = bearer, true
		claims := map[string]any{"aud": issuertest.Client, "groups": []string{group}, "roles": name}
		all["a token for another audience of a "+name] = "Bearer " + real.Token(t, claims)
	}
	s.end(t, ended)
	return all
}

// end waits until tokens are none any more.
func (s *site) end(t *testing.T, ids map[string]bool) {
	t.Helper()
	for id := range ids {
		for e, shown := s.store.Tokens.View().Get(id); shown && !e.Value.Subject().Ended(time.Now()); e, shown = s.store.Tokens.View().Get(id) {
			pause(t)
		}
	}
}
