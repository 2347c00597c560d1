package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
)

// TestAnOpenPageFollows what it shows, of what it is asked last, until that is not there any more.
func TestAnOpenPageFollows(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	page := "/ui/workflows/wf-1?start=" + on(0) + "T09:00:00Z&duration=1h"
	conn := s.newsOf(t, page)
	untilShows(t, conn, `data-status="unknown"`)
	s.plan(t, "peer-a", 7)
	untilShows(t, conn, "8 asked for, 7 free")
	s.plan(t, "peer-a", 10)
	untilShows(t, conn, `data-status="available"`)
	send(t, conn, `{"query":"start=`+on(0)+`T11:00:00Z&duration=2h"}`)
	untilShows(t, conn, `data-start="`+on(0)+`T11:00:00Z" data-end="`+on(0)+`T13:00:00Z"`)
	send(t, conn, `{"query":"start=soon"}`)
	if why := untilType(t, conn, "refused")["why"].(string); !strings.Contains(why, "start") {
		t.Errorf("a faulty question is refused with %q", why)
	}
	s.plan(t, "peer-a", 7) // the question before stays
	untilShows(t, conn, `data-start="`+on(0)+`T11:00:00Z"`)
	s.do(t, http.MethodDelete, "/oc/wf-1", "").ok(t, http.StatusNoContent)
	if code, _ := closed(t, conn); code != 4404 {
		t.Errorf("of a workflow that was removed the page is told %d", code)
	}
	for path, status := range map[string]int{
		"/ui/workflows/wf-1": http.StatusNotFound, "/ui/workflows/nix": http.StatusNotFound, "/ui/dead?before=x": http.StatusUnprocessableEntity,
	} {
		if got := s.refused(t, path, nil, "oc.page.v1").status; got != status {
			t.Errorf("%s can't be followed with %d", path, got)
		}
	}
}

// TestAnOpenListFollows what comes and changes.
func TestAnOpenListFollows(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	workflows, nodes, peers := s.newsOf(t, "/ui/"), s.newsOf(t, "/ui/nodes"), s.newsOf(t, "/ui/peers")
	untilShows(t, nodes, "No node has asked")
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	untilShows(t, workflows, `<tr data-status="unknown">`)
	untilShows(t, peers, "not cached")
	s.plan(t, "peer-a", 10)
	untilShows(t, workflows, `<tr data-status="available">`)
	untilShows(t, peers, "until <time")
	s.enrol(t, "n1", store.Pending)
	node := s.newsOf(t, "/ui/nodes/n1")
	untilShows(t, nodes, "<bdi>n1</bdi>")
	s.submit(t, "/ui/nodes/n1/approve", "").ok(t, http.StatusSeeOther)
	untilShows(t, node, "approved")
	untilShows(t, nodes, "approved")
}

// TestOpenPagesShare what looks the same to those who look, and nothing else.
func TestOpenPagesShare(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	mine, viewer, theirs := s.as(t, access.User, "mine"), s.as(t, access.Viewer, "mine"), s.as(t, access.User, "theirs")
	s.do(t, http.MethodPut, "/oc/wf-1", sampleWorkflow("wf-1", 8), "Authorization", mine).ok(t, http.StatusCreated)
	natstest.Eventually(t, "the workflow is in view", func() bool { return s.parts.Workflows.Len() == 1 })
	page := "/ui/workflows/wf-1?start=" + on(0) + "T09:00:00Z&duration=1h"
	one, other := s.newsOf(t, page, "Authorization", mine), s.newsOf(t, page, "Authorization", s.as(t, access.User, "mine"))
	looks := s.newsOf(t, page, "Authorization", viewer)
	s.plan(t, "peer-a", 10)
	if a, b := untilShows(t, one, `data-status="available"`), untilShows(t, other, `data-status="available"`); a != b || !strings.Contains(a, ">Book</button>") {
		t.Errorf("two of the same groups see\n%s\n%s", a, b)
	}
	if seen := untilShows(t, looks, `data-status="available"`); strings.Contains(seen, ">Book</button>") {
		t.Errorf("a viewer is shown\n%s", seen)
	}
	untilShows(t, s.newsOf(t, "/ui/", "Authorization", theirs), "No workflow is stored yet")
	if n := s.OpenViews(); n != 3 {
		t.Errorf("four who look make %d views", n)
	}
	for _, conn := range []interface{ CloseNow() error }{one, other, looks} {
		_ = conn.CloseNow()
	}
	natstest.Eventually(t, "views that nobody looks at are gone", func() bool { return s.OpenViews() == 1 })
}

// TestAnOpenPageOutlastsAnOutage of NATS: it is told that what it shows may be old, and goes on by itself.
func TestAnOpenPageOutlastsAnOutage(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	path := s.begins(t, "wf-1", "wait", "running")
	conn := s.newsOf(t, "/ui"+path)
	untilShows(t, conn, `data-status="running"`)
	s.nats.Stop()
	if why := untilType(t, conn, "stale")["why"].(string); !strings.Contains(why, "NATS") {
		t.Errorf("it is told %q", why)
	}
	s.nats.Restart(t)
	untilShows(t, conn, `data-status="running"`)
}

// TestWhatAnOpenPageIsTold is JSON with the same HTML as the page has.
func TestWhatAnOpenPageIsTold(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.enrol(t, hostileNode, store.Pending)
	conn := s.newsOf(t, "/ui/nodes")
	told := untilShows(t, conn, "&lt;script&gt;")
	if page := s.page(t, "/ui/nodes", http.StatusOK); !strings.Contains(page, told) {
		t.Errorf("the page is\n%s\nand it is told\n%s", page, told)
	}
	if strings.Contains(told, "<script>") {
		t.Errorf("a name speaks:\n%s", told)
	}
}

const hostileNode = `"><script>alert(1)</script>` + "\u202e"
