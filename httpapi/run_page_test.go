package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
)

// newsOf opens the WebSocket of a page.
func (s *site) newsOf(t *testing.T, page string, header ...string) *websocket.Conn {
	t.Helper()
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return s.dial(t, page, &websocket.DialOptions{Subprotocols: []string{"oc.page.v1"}, HTTPHeader: h})
}

// untilType reads until a message of a type comes.
func untilType(t *testing.T, conn *websocket.Conn, kind string) map[string]any {
	t.Helper()
	for {
		if m := receive(t, conn); m["type"] == kind {
			return m
		}
	}
}

// untilShows reads until the page is told that it shows something, and returns all of that.
func untilShows(t *testing.T, conn *websocket.Conn, what string) string {
	t.Helper()
	for {
		if html := untilType(t, conn, "view")["html"].(string); strings.Contains(html, what) {
			return html
		}
	}
}

// TestTheRunPage shows steps, history and output of a run, and cancels it after a question.
func TestTheRunPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	node := s.nodeCalled(t, "node-i0")
	path := s.begins(t, "wf-1", "wait", "running")
	page := "/ui" + path
	s.shows(t, page, `data-status="running"`, `href="/ui/workflows/wf-1"`, `href="/ui/schedules/`, `class="actual"`, `class="need"`,
		`href="/ui/nodes/node-i0"`, `data-output="x-`, `data-live`, "<button>Cancel</button>", "step <bdi>s</bdi>", " s after it was due", "; ordered <time", "; began <time")
	s.enrol(t, "node-i0", store.Approved)
	s.shows(t, "/ui/nodes/node-i0", "the newest first", ">Ordered<", ">Began<", ">Ended<", `href="`+page+`"`)
	if strings.Contains(s.page(t, page, http.StatusOK), "%!") {
		t.Error("a number is none")
	}
	s.shows(t, "/ui/workflows/wf-1", `href="`+page+`"`, "<h2 id=\"runs-title\">Runs</h2>")
	s.page(t, "/ui/runs/nix", http.StatusNotFound)

	conn := s.newsOf(t, page)
	untilType(t, conn, "live")
	executionID := s.executionOf(t, path)
	out := node.output(t, executionID)
	write(t, out.Stdout(), "hello\n")
	send(t, conn, fmt.Sprintf(`{"output":%q}`, executionID))
	told := untilType(t, conn, "output")
	if piece := told["event"].(map[string]any); told["execution_id"] != executionID || piece["data"] != "aGVsbG8K" || piece["offset"] != 6.0 {
		t.Errorf("the output comes as %v", told)
	}
	write(t, out.Stderr(), "oh\n")
	send(t, conn, fmt.Sprintf(`{"output":%q,"offset":6}`, executionID))
	if piece := untilType(t, conn, "output")["event"].(map[string]any); piece["data"] != "b2gK" || piece["source"] != "stderr" {
		t.Errorf("from where it was it goes on with %v", piece)
	}
	send(t, conn, `{"output":"x-nix"}`)
	if told := untilType(t, conn, "error"); told["execution_id"] != "x-nix" {
		t.Errorf("of what is not there it is told %v", told)
	}

	s.shows(t, page+"/cancel", "Cancel this run?", `<form method="post" action="`+page+`/cancel"`, "<button>Cancel the run</button>", `href="`+page+`"`)
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if to := s.do(t, http.MethodPost, page+"/cancel", "", "Origin", s.url).ok(t, http.StatusSeeOther).header.Get("Location"); to != page {
		t.Errorf("after the cancel: %s", to)
	}
	untilShows(t, conn, `role="status" data-status="cancelled"`)
	natstest.Eventually(t, "the page shows it", func() bool {
		shown := s.page(t, page, http.StatusOK)
		return strings.Contains(shown, `role="status" data-status="cancelled"`) && !strings.Contains(shown, "<button>Cancel</button>")
	})
	send(t, conn, "no object")
	if code, _ := closed(t, conn); code != 4400 {
		t.Errorf("a message that is none: %d", code)
	}
}

// executionOf is the first execution of a run.
func (s *site) executionOf(t *testing.T, path string) string {
	t.Helper()
	step := s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK).json(t)["steps"].([]any)[0].(map[string]any)
	return step["executions"].([]any)[0].(map[string]any)["execution_id"].(string)
}

// TestTheRunPageIsForItsGroups, and what is lacking in rights is not there.
func TestTheRunPageIsForItsGroups(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	mine, theirs, viewer := s.as(t, access.User, "mine"), s.as(t, access.User, "theirs"), s.as(t, access.Viewer, "mine")
	node := s.nodeCalled(t, "node-i0")
	path := s.begins(t, "wf-1", "wait", "running", "Authorization", mine)
	s.do(t, http.MethodGet, "/ui"+path, "", "Authorization", theirs).ok(t, http.StatusNotFound)
	s.do(t, http.MethodGet, "/ui"+path+"/cancel", "", "Authorization", theirs).ok(t, http.StatusNotFound)
	s.do(t, http.MethodPost, "/ui"+path+"/cancel", "", "Authorization", theirs, "Origin", s.url).ok(t, http.StatusNotFound)
	s.do(t, http.MethodPost, "/ui"+path+"/cancel", "", "Authorization", viewer, "Origin", s.url).ok(t, http.StatusForbidden)
	seen := string(s.do(t, http.MethodGet, "/ui"+path, "", "Authorization", viewer).ok(t, http.StatusOK).body)
	if strings.Contains(seen, "<button>Cancel") || strings.Contains(seen, "data-output") {
		t.Errorf("a viewer is shown\n%s", seen)
	}
	run := s.do(t, http.MethodGet, path, "", "Authorization", mine).ok(t, http.StatusOK).json(t)
	executionID := run["steps"].([]any)[0].(map[string]any)["executions"].([]any)[0].(map[string]any)["execution_id"].(string)
	write(t, node.output(t, executionID).Stdout(), "secret")
	conn := s.newsOf(t, "/ui"+path, "Authorization", viewer)
	send(t, conn, fmt.Sprintf(`{"output":%q}`, executionID))
	if told := untilType(t, conn, "error"); told["event"].(map[string]any)["status"] != 404.0 {
		t.Errorf("a viewer is told %v", told)
	}
}
