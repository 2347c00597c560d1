package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"oc-scheduler/store/execution"
)

// TestWhatIsNoRequest is answered as everything is, though no handler ever sees it.
func TestWhatIsNoRequest(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	const first = "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for request, want := range map[string]struct {
		status int
		detail string
	}{
		"GET /livez\r\n\r\n":                                                                  {400, "not a well-formed"},
		"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n":                                                {400, "not a well-formed"},
		"GET / HTTP/1.1\r\n\r\n":                                                              {400, "missing required Host header"},
		"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n":                                        {400, "not a well-formed"},
		"GET / HTTP/1.1\r\nHost: a b\r\n\r\n":                                                 {400, "malformed Host header"},
		"GET / HTTP/1.1\r\nHost: localhost\r\nBad Header: x\r\n\r\n":                          {400, ""},
		"GET / HTTP/1.1\r\nHost: localhost\r\nX: \x01\r\n\r\n":                                {400, "not a well-formed"},
		"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 40<<10) + "\r\n\r\n": {431, "32768 bytes"},
		"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n":                                           {505, "unsupported protocol version"},
		"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n":               {501, "chunked"},
		"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n":                     {400, ""},
		"POST / HTTP/1.1\r\nHost: localhost\r\nExpect: miracles\r\nContent-Length: 1\r\n\r\n": {417, "100-continue"},
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n":                                                    {404, "no such route"},
	} {
		a := s.raw(t, request)
		p := a.problem(t, want.status)
		if !strings.Contains(p["detail"].(string), want.detail) || a.header.Get("X-Request-ID") == "" || a.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%.60q: %v, %v", request, p, a.header)
		}
		// The same after a request that was answered.
		answers := s.rawAll(t, first+request, 2)
		if answers[0].status != http.StatusOK || answers[1].status != want.status || answers[1].header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%.60q, pipelined: %+v", request, answers)
		}
	}
}

// TestEveryAnswerIsIdentified, also that to a question about no route.
func TestEveryAnswerIsIdentified(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	if a := s.raw(t, "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n").ok(t, http.StatusOK); a.header.Get("X-Request-ID") == "" {
		t.Errorf("%v", a.header)
	}
}

// TestOutputThatLooksLikeARefusal: what a program writes is nobody's answer, even in a piece of its own.
func TestOutputThatLooksLikeARefusal(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	const text = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request"
	out := s.node(t).output(t, "x")
	write(t, out.Stdout(), text)
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	s.begun(t, "x", execution.Completed)
	a := s.raw(t, "GET /executions/x/logs HTTP/1.0\r\nHost: localhost\r\n\r\n")
	if a.status != http.StatusOK || string(a.body) != text {
		t.Errorf("%d %q", a.status, a.body)
	}
}
