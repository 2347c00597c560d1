package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestAnOrderInDoubt: a replica that took an order, and was not heard of again, may have it run. The id that
// run has made up is told then, and an order of that id runs once however often it is repeated.
func TestAnOrderInDoubt(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"cut":         func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"unsure":      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"bad gateway": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"half an answer": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(`{"execution_id":`))
		},
	} {
		t.Run(name, func(t *testing.T) {
			ordered := make(chan string, 1)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var order struct {
					ID string `json:"execution_id"`
				}
				if err := json.NewDecoder(r.Body).Decode(&order); err != nil {
					t.Error(err)
				}
				ordered <- order.ID
				answer(w, r)
			}))
			defer server.Close()
			got := invoke(t, nil, "run", "n1", "--server", server.URL, "--", "ls")
			id := <-ordered
			if id == "" || got.code != exitFailure || strings.Count(got.stderr, "\n") != 1 ||
				!strings.Contains(got.stderr, "oc-scheduler executions "+id) || !strings.Contains(got.stderr, "--id "+id) {
				t.Errorf("ordered as %q: %+v", id, got)
			}
		})
	}
}

// TestAnOrderThatWasNot holds that 125 is for what did not run, for certain.
func TestAnOrderThatWasNot(t *testing.T) {
	t.Parallel()
	s := startSite(t)
	s.knock(t, "n1")
	if got := s.ask(t, "run", "-d", "--id", "x1", "n1", "--", "ls"); got.code != exitOK {
		t.Fatalf("%+v", got)
	}
	for args, words := range map[string]string{
		"--id x1 n1 -- ls":              `"x1": exists already`,
		"n9 -- ls":                      "no such node",
		"n1":                            "command: is missing; a --duration may stand in",
		"n1 --":                         "command: is missing",
		"--server 127.0.0.1:1 n1 -- ls": "no replica answers",
		"--server ftp://a n1 -- ls":     "--server",
	} {
		if got := s.ask(t, "run", strings.Fields(args)...); got.code != exitNotRun || !strings.Contains(got.stderr, words) {
			t.Errorf("%s: %+v", args, got)
		}
	}
	if got := s.ask(t, "executions"); strings.Count(got.stdout, "\n") != 2 {
		t.Errorf("more than x1 was ordered:\n%s", got.stdout)
	}
}
