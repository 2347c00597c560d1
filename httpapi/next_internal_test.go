package httpapi

import (
	"strings"
	"testing"
)

// TestALogInLeadsToAPageOfHere, whatever was asked for.
func TestALogInLeadsToAPageOfHere(t *testing.T) {
	t.Parallel()
	for _, next := range []string{
		"", "/", "/ui", "//e.x", "///e.x", `/\e.x`, "/%5Ce.x", `\/e.x`, "/\t/e.x", "/ui/\t/e.x", "https:e.x", "https://e.x/ui/", "javascript:1", "ui/", "/oc/w",
		"/ui/../..//e.x", "/ui/..", "/ui/%2e%2e/x", "/ui/%2E./x", "/ui/./x", "/ui//e.x", `/ui/\e.x`, "/ui/x\r\nSet-Cookie:a=b", "/ui/é", "/ui/ x", "/ui/%zz",
		"/ui/login", "/ui/login?next=/ui/", "/ui/logout", "/ui/callback?code=1", "/ui/login/issuer", "/ui/static/x", "/ui/" + strings.Repeat("a", 8<<10), "\x00/ui/",
	} {
		if got := localPage(next); got != homePath {
			t.Errorf("%q leads to %q", next, got)
		}
	}
	for _, next := range []string{
		"/ui/", "/ui/nodes", "/ui/workflows/", "/ui/workflows/a%2Fb%5C..?start=2026-12-01T09:00:00Z&duration=1h#x", "/ui/?q=//e.x&cursor=..", "/ui/loginess", "/ui/workflows/..a",
	} {
		if got := localPage(next); got != next {
			t.Errorf("%q leads to %q", next, got)
		}
	}
}
