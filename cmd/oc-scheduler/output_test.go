package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestOutputOverBrokenConnections: a replica drains, another one is not ready, and a third goes on where
// the first one stopped.
func TestOutputOverBrokenConnections(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		last := r.Header.Get("Last-Event-ID")
		switch calls.Add(1) {
		case 1:
			if last != "" {
				t.Errorf("begins after %q", last)
			}
			_, _ = fmt.Fprint(w, ":\n\nevent: output\nid: 4\ndata: {\"source\":\"stdout\",\"data\":\"b25lCg==\"}\n\n"+
				"event: output\nid: 9\ndata: {\"source\":\"stderr\",\"data\":\"b29wcwo=\"}\n\nevent: output\nid: 13\nda")
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 3:
			if last != "9" {
				t.Errorf("goes on after %q, not 9", last)
			}
			_, _ = fmt.Fprint(w, "event: output\nid: 13\ndata: {\"source\":\"stdout\",\"data\":\"dHdvCg==\"}\n\n"+
				"event: end\ndata: {\"execution_id\":\"x\",\"state\":\"failed\",\"exit_code\":3}\n\n")
		}
	}))
	defer server.Close()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"logs", "-f", "x", "--server", server.URL}, lookupIn(nil), &stdout, &stderr)
	if code != exitOK || stdout.String() != "one\ntwo\n" || stderr.String() != "oops\n" {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout.String(), stderr.String())
	}
}

// TestOutputThatFails: what no further try mends ends the command.
func TestOutputThatFails(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, "event: error\ndata: {\"status\":404,\"title\":\"Not Found\",\"detail\":\"kept no longer\"}\n\n")
	}))
	defer server.Close()
	got := invoke(t, nil, "logs", "x", "--server", server.URL)
	if got.code != exitFailure || !strings.Contains(got.stderr, "kept no longer") {
		t.Errorf("%+v", got)
	}
}
