package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shows is a replica that notes which tokens it is shown, and has no run.
func shows(t *testing.T) (url string, tokens func() string) {
	t.Helper()
	var seen []string
	replica := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(replica.Close)
	return replica.URL, func() string {
		defer func() { seen = nil }()
		return strings.Join(seen, ",")
	}
}

// TestContexts: what a context holds goes to its server alone, its token is never shown, and nobody else reads the file.
func TestContexts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, shownToOne := shows(t)
	two, shownToTwo := shows(t)
	env := map[string]string{"XDG_CONFIG_HOME": dir}
	tokenFile := filepath.Join(dir, "token")
	if err := os.WriteFile(tokenFile, []byte("oct_1_"+secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	does := func(code int, line string, words ...string) string {
		t.Helper()
		got := invoke(t, env, strings.Fields(line)...)
		for _, w := range append(words, "") {
			if got.code != code || !strings.Contains(got.stdout+got.stderr, w) || strings.Contains(got.stdout+got.stderr, secret) {
				t.Errorf("%s: %+v, want %d with %q", line, got, code, w)
			}
		}
		return got.stdout
	}
	does(exitOK, "context set one --server "+one+" --token-file "+tokenFile, "context one: "+one)
	does(exitOK, "context set two --server "+two, "context two")
	file := filepath.Join(dir, "oc-scheduler", "config.yaml")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	does(exitOK, "context", "one", "yes", one, two)
	does(exitOK, "context list -o json", `"has_token": true`, `"current": true`)

	mine := "oct_1_" + secret
	does(exitFailure, "runs show r-1", "Not Found")
	if got := shownToOne(); got != mine {
		t.Errorf("the current context shows %q", got)
	}
	does(exitFailure, "runs show r-1 --server "+two)
	does(exitFailure, "runs show r-1 --context two")
	if got := shownToTwo(); got != "," {
		t.Errorf("another server is shown %q", got)
	}
	does(exitOK, "context use two", "commands talk to two now")
	does(exitFailure, "runs show r-1 --context one")
	if got := shownToOne() + shownToTwo(); got != mine {
		t.Errorf("of a context that is asked for %q", got)
	}
	env["OC_SERVER"] = two
	does(exitFailure, "runs show r-1 --context one")
	env["OC_TOKEN"] = "oct_2_x"
	does(exitFailure, "runs show r-1")
	if got := shownToOne() + " " + shownToTwo(); got != mine+" oct_2_x" {
		t.Errorf("a flag against a variable: %q", got)
	}
	does(exitFailure, "runs --context one --server "+two, "give one of them")
	does(exitFailure, "runs --context three", `context "three"`)
	does(exitFailure, "context use three", `context "three"`)
	does(exitFailure, "context set bad --server ftp://x", "--server")
	does(exitFailure, "context set bad --server "+two+" --ca /nonexistent", "--ca")
	does(exitOK, "context set two --server http://u:"+secret+"@127.0.0.1:1", "context two: http://127.0.0.1:1")
	does(exitOK, "context", "http://127.0.0.1:1")
	does(exitOK, "context set two --server u:"+secret+"@127.0.0.1:2", "context two: http://127.0.0.1:2")
	does(exitFailure, "schedule wf --server u:"+secret+"@"+strings.TrimPrefix(two, "http://"), "Not Found")
	does(exitOK, "context remove two", "forgotten")
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	delete(env, "OC_SERVER")
	does(exitFailure, "runs", "chmod 600")
	if err := os.WriteFile(file, []byte("contexts: "+secret), 0o600); err != nil {
		t.Fatal(err)
	}
	does(exitFailure, "runs", "no list of contexts")
}

// TestHintsKeepWhatWasTyped: a command line that is told leads to the same replica.
func TestHintsKeepWhatWasTyped(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer server.Close()
	if got := invoke(t, nil, "schedule", "wf", "--server", server.URL); !strings.Contains(got.stderr, "`oc-scheduler schedules --workflow wf --server "+server.URL+"`") {
		t.Errorf("%+v", got)
	}
	if got := invoke(t, map[string]string{"OC_SERVER": server.URL}, "schedule", "wf"); !strings.Contains(got.stderr, "`oc-scheduler schedules --workflow wf`") {
		t.Errorf("%+v", got)
	}
}
