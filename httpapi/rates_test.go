package httpapi_test

import (
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"oc-scheduler/httpapi"
	"oc-scheduler/store/access"
)

// rare lets everybody read and write once, and then not for a quarter of an hour.
func rare() httpapi.Config {
	cfg := guarded()
	cfg.ReadsPerSecond, cfg.WritesPerSecond = 0.001, 0.001
	return cfg
}

func (a answer) tooSoon(t *testing.T) {
	t.Helper()
	a.problem(t, http.StatusTooManyRequests)
	if s, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || s < 1 || s > 1000 {
		t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
	}
}

// TestEachSubjectHasItsRate, of reads and of writes; who shows nothing valid has that of an address.
func TestEachSubjectHasItsRate(t *testing.T) {
	t.Parallel()
	s := newSite(t, rare())
	one, other := s.as(t, access.User), s.as(t, access.Viewer)
	const workflow = `{"id":"w","graph":{"items":{}}}`
	s.do(t, http.MethodGet, "/oc", "", "Authorization", one).ok(t, http.StatusOK)
	s.do(t, http.MethodPut, "/oc/w", workflow, "Authorization", one).ok(t, http.StatusCreated)
	s.do(t, http.MethodGet, "/oc", "", "Authorization", one).tooSoon(t)
	s.do(t, http.MethodPut, "/oc/w", workflow, "Authorization", one).tooSoon(t)
	s.do(t, http.MethodPut, "/oc/w", workflow, "Authorization", other).problem(t, http.StatusForbidden)
	s.do(t, http.MethodGet, "/oc/nowhere", "").problem(t, http.StatusUnauthorized)
	s.do(t, http.MethodGet, "/oc", "", "Authorization", "Bearer oct_wrong").tooSoon(t)
	for range 3 {
		s.do(t, http.MethodGet, "/livez", "").ok(t, http.StatusOK)
	}
	s.do(t, http.MethodGet, "/oc/w/check"+inDecember, "", "Authorization", other).ok(t, http.StatusOK)
	s.do(t, http.MethodGet, "/oc/w/check"+inDecember, "", "Authorization", other).tooSoon(t)
}

// TestLogInsHaveTheRateOfAnAddress, whatever they show: each may cost a look at NATS, or a question to the issuer.
func TestLogInsHaveTheRateOfAnAddress(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/ui/login", "/ui/login/issuer", "/ui/callback"} {
		s := newSite(t, rare())
		s.staying()
		ask := func() answer {
			if path == "/ui/login" {
				return s.form(t, path, url.Values{"token": {access.Mint().Reveal()}})
			}
			return s.do(t, http.MethodGet, path+"?state=x&code=y", "")
		}
		if first := ask(); first.status == http.StatusTooManyRequests {
			t.Errorf("%s: %d %s", path, first.status, first.body)
		}
		if second := ask(); second.status != http.StatusTooManyRequests || second.header.Get("Retry-After") == "" {
			t.Errorf("%s again: %d %s", path, second.status, second.body)
		}
		s.do(t, http.MethodGet, "/ui/login", "").ok(t, http.StatusOK)
		s.do(t, http.MethodGet, "/oc", "", "Authorization", s.as(t, access.Viewer)).ok(t, http.StatusOK)
	}
}

// TestARequestOnAStreamIsOne: one that comes too soon is answered with an error frame, and the one before stays.
func TestARequestOnAStreamIsOne(t *testing.T) {
	t.Parallel()
	s := newSite(t, rare())
	operator, viewer := s.as(t, access.Operator), s.as(t, access.Viewer)
	s.do(t, http.MethodPut, "/oc/w", sampleWorkflow("w", 8), "Authorization", operator).ok(t, http.StatusCreated)
	conn := s.dial(t, "/oc/w/check"+inDecember, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {viewer}}})
	if r := receive(t, conn); r["type"] != "result" {
		t.Fatalf("first frame is %v", r)
	}
	send(t, conn, `{"start":"2027-12-02T09:00:00Z","duration_s":60}`)
	if e := receive(t, conn); e["type"] != "error" || e["status"] != 429.0 {
		t.Fatalf("a request that comes too soon gives %v", e)
	}
	s.plan(t, "peer-a", 64)
	if r := until(t, conn, "available"); r["start"] != "2026-12-01T09:00:00Z" {
		t.Errorf("the request before is gone: %v", r)
	}
}

// TestWhomATrustedProxyAsksFor has a rate of his own; what he says of himself counts for nothing.
func TestWhomATrustedProxyAsksFor(t *testing.T) {
	t.Parallel()
	cfg := rare()
	cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
	s := newSite(t, cfg)
	as := func(forwarded string) answer { return s.do(t, http.MethodGet, "/oc", "", "X-Forwarded-For", forwarded) }
	as("192.0.2.1").problem(t, http.StatusUnauthorized)
	for _, forwarded := range []string{"192.0.2.1", "198.51.100.9, 192.0.2.1", "x, 192.0.2.1", "192.0.2.1, 10.1.2.3", "192.0.2.1:99,127.0.0.1", "::ffff:192.0.2.1"} {
		as(forwarded).tooSoon(t)
	}
	as("192.0.2.2").problem(t, http.StatusUnauthorized)
	as("2001:db8::1").problem(t, http.StatusUnauthorized)
	as("[2001:db8::2]:99").tooSoon(t)

	plain := newSite(t, rare())
	plain.do(t, http.MethodGet, "/oc", "", "X-Forwarded-For", "192.0.2.1").problem(t, http.StatusUnauthorized)
	plain.do(t, http.MethodGet, "/oc", "", "X-Forwarded-For", "192.0.2.2").tooSoon(t)
}

// TestStreamsAreCountedAsRequestsAre: by subject, wherever he comes from, and by address of who is nobody. One who opens
// all that he may takes nothing from others behind his address.
func TestStreamsAreCountedAsRequestsAre(t *testing.T) {
	t.Parallel()
	cfg := guarded()
	cfg.Streams.MaxStreamsPerClient = 1
	cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	s := newSite(t, cfg)
	one, other := s.as(t, access.Operator), s.as(t, access.Viewer)
	s.do(t, http.MethodPut, "/oc/w", sampleWorkflow("w", 8), "Authorization", one).ok(t, http.StatusCreated)
	dial := func(bearer string) {
		t.Helper()
		header := http.Header{"Authorization": {bearer}, "X-Forwarded-For": {"192.0.2.1"}}
		receive(t, s.dial(t, "/oc/w/check"+inDecember, &websocket.DialOptions{HTTPHeader: header}))
	}
	dial(one)
	dial(other)
	for _, from := range []string{"192.0.2.1", "192.0.2.2"} {
		for _, bearer := range []string{one, other} {
			s.refused(t, "/oc/w/check"+inDecember, http.Header{"Authorization": {bearer}, "X-Forwarded-For": {from}}).tooSoon(t)
			s.do(t, http.MethodGet, "/oc/w/check"+inDecember, "", "Accept", "text/event-stream", "Authorization", bearer, "X-Forwarded-For", from).tooSoon(t)
		}
	}
}

// TestAmongManyGuesses who shows a token that was made a moment ago elsewhere is told to come again, and never that it is
// none; whom this replica knows does not notice.
func TestAmongManyGuesses(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	known, unknown := s.as(t, access.Viewer), "Bearer "+access.Mint().Reveal()
	s.do(t, http.MethodGet, "/oc", "", "Authorization", unknown).problem(t, http.StatusUnauthorized)
	s.DoubtNever()
	late := s.do(t, http.MethodGet, "/oc", "", "Authorization", unknown)
	if late.problem(t, http.StatusServiceUnavailable); late.header.Get("Retry-After") == "" {
		t.Error("not told to come again")
	}
	s.do(t, http.MethodGet, "/oc", "", "Cookie", "oc="+strings.Repeat("a", 26)).problem(t, http.StatusServiceUnavailable)
	s.do(t, http.MethodGet, "/oc", "", "Authorization", known).ok(t, http.StatusOK)
	s.do(t, http.MethodGet, "/oc", "", "Authorization", "Bearer oct_wrong").problem(t, http.StatusUnauthorized)
}
