package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// TestExecutionsComeNewestFirst, over all pages, for people and for scripts.
func TestExecutionsComeNewestFirst(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := `{"items":[{"execution_id":"a","ordered_at":"2026-01-01T00:00:02Z"},{"execution_id":"b","ordered_at":"2026-01-01T00:00:03Z"}],"next_cursor":"c"}`
		if r.URL.Query().Get("cursor") != "" {
			page = `{"items":[{"execution_id":"c"},{"execution_id":"d","ordered_at":"2026-01-01T01:00:03+01:00"},{"execution_id":"e","ordered_at":"2026-01-01T00:00:04Z","reason":"why"}]}`
		}
		_, _ = fmt.Fprint(w, page)
	}))
	defer server.Close()
	id := regexp.MustCompile(`(?m)^([a-e]) |"execution_id": "(.)"`)
	for _, output := range []string{"table", "json"} {
		got := invoke(t, nil, "executions", "--server", server.URL, "-o", output)
		var order strings.Builder
		for _, m := range id.FindAllStringSubmatch(got.stdout, -1) {
			order.WriteString(m[1] + m[2])
		}
		if got.code != exitOK || got.stderr != "" || order.String() != "ebdac" || !strings.Contains(got.stdout, "why") {
			t.Errorf("%s: %s of %+v", output, order.String(), got)
		}
	}
}

// TestNoPlanners: why there are none is for people; what a script reads stays as it is.
func TestNoPlanners(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, `{"items":[]}`) }))
	defer server.Close()
	got := invoke(t, nil, "planners", "--server", server.URL)
	if got.stderr != "none: planners are kept while somebody watches\n" || !strings.HasPrefix(got.stdout, "PEER") {
		t.Errorf("%+v", got)
	}
	if got := invoke(t, nil, "planners", "--server", server.URL, "-o", "json"); got != (outcome{0, "[]\n", ""}) {
		t.Errorf("%+v", got)
	}
}
