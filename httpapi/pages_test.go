package httpapi_test

import (
	"io/fs"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"oc-scheduler/httpapi"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
)

const pagePolicy = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

// page gets a page and holds it to what every page is.
func (s *site) page(t *testing.T, path string, status int) string {
	t.Helper()
	got := s.do(t, http.MethodGet, path, "").ok(t, status)
	if kind := got.header.Get("Content-Type"); kind != "text/html; charset=UTF-8" {
		t.Errorf("%s is %s", path, kind)
	}
	if got.header.Get("Content-Security-Policy") != pagePolicy {
		t.Errorf("%s may load %q", path, got.header.Get("Content-Security-Policy"))
	}
	page := string(got.body)
	for _, part := range []string{"<!doctype html>", "<main ", "<nav ", "<h1>", "</html>", " – oc-scheduler</title>"} {
		if !strings.Contains(page, part) {
			t.Errorf("%s has no %s:\n%s", path, part, page)
		}
	}
	if strings.Contains(page, " style=") || strings.Contains(page, "<style") || strings.Contains(page, " onclick=") {
		t.Errorf("%s has what its policy forbids:\n%s", path, page)
	}
	return page
}

func (s *site) shows(t *testing.T, path string, parts ...string) {
	t.Helper()
	page := s.page(t, path, http.StatusOK)
	for _, part := range parts {
		if !strings.Contains(page, part) {
			t.Errorf("%s does not show %q:\n%s", path, part, page)
		}
	}
}

func TestEachViewIsAPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	s.put(t, "wf-2", 65).ok(t, http.StatusCreated)
	s.enrol(t, "n 1/é", store.Pending)
	s.shows(t, "/ui/", `data-status="unknown"`, "no planner of <bdi>peer-a</bdi>", `href="/ui/workflows/wf-1"`, "align reads")
	s.plan(t, "peer-a", 10)
	natstest.Eventually(t, "the planner is in view", func() bool { return s.parts.Planners.Len() == 1 })
	s.shows(t, "/ui/", `<tr data-status="available">`, `<tr data-status="unavailable">`)
	s.shows(t, "/ui/?q=WF-2", "wf-2")
	if strings.Contains(s.page(t, "/ui/?q=WF-2", http.StatusOK), "wf-1") {
		t.Error("the search finds what it does not look for")
	}
	s.shows(t, "/ui/workflows/wf-1?start=2026-12-01T09:00&duration=1h",
		`role="status" data-status="available"`, " data-live>", "data-window", `aria-label="start of the window"`, `class="use planner"`, "cores 8 of 64")
	s.shows(t, "/ui/workflows/wf-2", `data-status="unavailable"`, "cores: 65 asked for, 10 free", `class="conflict"`)
	s.shows(t, "/ui/peers", "peer-a", "until <time")
	s.shows(t, "/ui/peers/peer-a?from=2026-12-01&days=2", "cores 64", "?days=2&amp;from=2026-12-03", "n 1/é")
	s.shows(t, "/ui/nodes", `href="/ui/nodes/n%201%2F%C3%A9"`, "pending")
	s.shows(t, "/ui/nodes/n%201%2F%C3%A9", "Approve", "Reject", `action="/ui/nodes/n%201%2F%C3%A9/approve"`)
}

// TestLookingAsksNobody holds that pages make no demand: only their live part does.
func TestLookingAsksNobody(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	natstest.Eventually(t, "the workflow's peers are asked", func() bool { return len(s.bus.seen()) == 1 })
	s.page(t, "/ui/", http.StatusOK)
	s.page(t, "/ui/workflows/wf-1", http.StatusOK)
	s.page(t, "/ui/peers/peer-a", http.StatusOK)
	if asked := s.bus.seen(); len(asked) > 1 {
		t.Errorf("asked %v", asked)
	}
}

func TestWhatGoesWrongIsAPage(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	for path, status := range map[string]int{
		"/ui/workflows/nix": http.StatusNotFound, "/ui/nodes/nix": http.StatusNotFound, "/ui/nix": http.StatusNotFound,
		"/ui/workflows/a/b": http.StatusNotFound, "/ui/workflows/%00": http.StatusNotFound, "/ui/workflows/": http.StatusNotFound,
		"/ui/static/style.css": http.StatusNotFound, "/ui/workflows/..%2fnodes": http.StatusNotFound,
		"/ui/workflows/wf-1?start=tomorrow": http.StatusUnprocessableEntity, "/ui/workflows/wf-1?nix=1": http.StatusUnprocessableEntity,
		"/ui/workflows/wf-1?zoom=decade": http.StatusUnprocessableEntity, "/ui/?cursor=%00": http.StatusUnprocessableEntity, "/ui/peers/nope": http.StatusNotFound,
		"/ui/peers/peer-a?days=many": http.StatusUnprocessableEntity, "/ui/peers/peer-a?days=367": http.StatusUnprocessableEntity, "/ui/peers/peer-a?from=today": http.StatusUnprocessableEntity,
	} {
		page := s.page(t, path, status)
		if status == http.StatusUnprocessableEntity && !strings.Contains(page, `class="fault`) {
			t.Errorf("%s names no faults:\n%s", path, page)
		}
		if status == http.StatusNotFound && !strings.Contains(page, "mistyped") {
			t.Errorf("%s does not say what to do:\n%s", path, page)
		}
	}
	s.do(t, http.MethodGet, "/nix", "", "Accept", "text/html").problem(t, http.StatusNotFound)
	bare := newBareSite(t, defaults)
	if page := bare.page(t, "/ui/", http.StatusServiceUnavailable); !strings.Contains(page, `data-retry="2"`) || !strings.Contains(page, `href="/ui/">Try again</a>`) {
		t.Errorf("a page of a replica that starts does not come again:\n%s", page)
	}
	if again := bare.do(t, http.MethodGet, "/ui/", "").header.Get("Retry-After"); again == "" {
		t.Error("a page of a replica that starts does not say when to come again")
	}
}

// TestFaultsAtTheirFields holds that a form that is refused says what is wrong at each field, has the first one focused,
// and loses nothing that was typed.
func TestFaultsAtTheirFields(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	got := func(page string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(page, part) {
				t.Errorf("it lacks %q:\n%s", part, page)
			}
		}
		if n := strings.Count(page, "autofocus"); n != 1 {
			t.Errorf("%d fields have the focus:\n%s", n, page)
		}
	}
	const refused = http.StatusUnprocessableEntity
	got(s.page(t, "/ui/workflows/wf-1?start=soon&duration=long&as_possible=true", refused),
		`type="text" value="soon" aria-invalid="true" aria-describedby="start-fault" autofocus>`, `id="start-fault"`,
		`value="long" aria-invalid="true" aria-describedby="duration-fault">`, `id="duration-fault"`, `name="as_possible" value="true" checked`)
	got(s.page(t, "/ui/workflows/wf-1?start="+on(0)+"T09:00&duration=long", refused), `value="`+on(0)+`T09:00:00"`, `aria-describedby="duration-fault" autofocus>`)
	got(s.page(t, "/ui/workflows/wf-1?start=2036-12-24T09:00&duration=1h", refused), "must end within", `value="2036-12-24T09:00:00"`, `value="1h"`)
	for _, what := range []string{"schedules", "holds", "runs"} {
		got(string(s.submit(t, "/ui/workflows/wf-1/"+what, "start=soon&duration=2h").ok(t, refused).body), `value="soon" aria-invalid`, `value="2h"`, `action="/ui/workflows/wf-1" class="question"`)
	}
	got(string(s.submit(t, "/ui/workflows/wf-1/schedules", "cron=never&duration=2h&count=few").ok(t, refused).body),
		`<option value="own" selected>`, `value="never" aria-invalid`, `value="2h"`, `value="few" aria-invalid`, `action="/ui/workflows/wf-1/recurring"`)
	got(s.page(t, "/ui/peers/peer-a?from=today&days=many", refused), `type="text" value="today" aria-invalid="true" aria-describedby="from-fault" autofocus>`, `value="many" aria-invalid="true" aria-describedby="days-fault">`)
	got(s.page(t, "/ui/peers/peer-a?from="+on(0)+"&days=0", refused), `type="date" value="`+on(0)+`"`, `value="0" aria-invalid`)
}

// TestHostileNames holds that names are text, whatever they look like.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	const hostile = `"><script>alert(1)</script>` + "\u202e"
	s.enrol(t, hostile, store.Pending)
	doc := strings.ReplaceAll(sampleWorkflow("wf-1", 8), "align reads", `</title><script>alert(2)</script>`+"\u200b")
	s.do(t, http.MethodPut, "/oc/wf-1", doc).ok(t, http.StatusCreated)
	for _, path := range []string{"/ui/", "/ui/workflows/wf-1", "/ui/nodes", "/ui/nodes/%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E%E2%80%AE"} {
		page := s.page(t, path, http.StatusOK)
		if strings.Contains(page, "<script>") || strings.ContainsAny(page, "\u202e\u200b") {
			t.Errorf("%s lets a name speak:\n%s", path, page)
		}
	}
}

func TestDecisionsOnThePage(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.enrol(t, "n1", store.Pending)
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s.do(t, http.MethodPost, "/ui/nodes/n1/approve", "", "Origin", "https://evil.example").ok(t, http.StatusForbidden)
	got := s.do(t, http.MethodPost, "/ui/nodes/n1/approve", "", "Origin", s.url).ok(t, http.StatusSeeOther)
	if got.header.Get("Location") != "/ui/nodes/n1" {
		t.Errorf("sends to %q", got.header.Get("Location"))
	}
	natstest.Eventually(t, "the node is approved", func() bool {
		n, _ := s.parts.Nodes.Get("n1")
		return n.Value.Membership == store.Approved
	})
	s.do(t, http.MethodPost, "/ui/nodes/nix/approve", "", "Origin", s.url).ok(t, http.StatusNotFound)
	if to := s.do(t, http.MethodGet, "/", "").ok(t, http.StatusFound).header.Get("Location"); to != "/ui/" {
		t.Errorf("/ sends to %q", to)
	}
}

// TestBookingOnThePage books what the question asks, shows it, and cancels it.
func TestBookingOnThePage(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	form := func(path, body string) answer {
		t.Helper()
		return s.do(t, http.MethodPost, path, body, "Origin", s.url, "Content-Type", "application/x-www-form-urlencoded")
	}
	question := "start=" + on(0) + "T09:00:00Z&duration=1h"
	s.shows(t, "/ui/workflows/wf-1?"+question, ">Book</button>", `name="start" type="datetime-local" step="1" value="`+on(0)+`T09:00:00"`)
	path := form("/ui/workflows/wf-1/schedules", question).ok(t, http.StatusSeeOther).header.Get("Location")
	s.shows(t, path, "active", "<button>Cancel</button>", `data-status="booked"`, `<bdi>n1</bdi> on <bdi>peer-a</bdi>`)
	s.shows(t, "/ui/workflows/wf-1?"+question, `data-status="unavailable"`, "schedule "+strings.TrimPrefix(path, "/ui/schedules/"), path)
	form("/ui/workflows/wf-1/schedules", question+"&idempotency_key=another").ok(t, http.StatusConflict)
	form("/ui/workflows/wf-1/schedules", "start=soon").ok(t, http.StatusUnprocessableEntity)
	form("/ui/workflows/nix/schedules", question).ok(t, http.StatusNotFound)
	form(path+"/cancel", "").ok(t, http.StatusSeeOther)
	s.shows(t, path, "cancelled")
	s.page(t, "/ui/schedules/nix", http.StatusNotFound)
}

// TestHoldingOnThePage holds what the question asks, confirms it once, and gives another one back.
func TestHoldingOnThePage(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	question := "start=" + on(0) + "T09:00:00Z&duration=1h"
	path := s.sent(t, "/ui/workflows/wf-1/holds", question+"&ttl_s=300")
	s.shows(t, path, `data-status="held"`, "data-countdown=", "<button>Confirm</button>", "<button>Release</button>", `<bdi>n1</bdi> on <bdi>peer-a</bdi>`)
	s.shows(t, "/ui/workflows/wf-1?"+question, `data-status="unavailable"`, "hold "+strings.TrimPrefix(path, "/ui/holds/"))
	booked := s.sent(t, path+"/confirm", "")
	s.shows(t, booked, `data-status="booked"`)
	s.shows(t, path, `data-status="confirmed"`, booked)
	s.submit(t, path+"/confirm", "").ok(t, http.StatusConflict)
	s.submit(t, "/ui/workflows/wf-1/holds", question+"&ttl_s=soon").ok(t, http.StatusUnprocessableEntity)
	taken := string(s.submit(t, "/ui/workflows/wf-1/holds", question+"&ttl_s=60").ok(t, http.StatusConflict).body)
	if !strings.Contains(taken, "8 asked for") || !strings.Contains(taken, strings.TrimPrefix(booked, "/ui/schedules/")) || !strings.Contains(taken, `<a href="/ui/workflows/wf-1?duration=1h0m0s&amp;`) {
		t.Errorf("what is taken is not explained:\n%s", taken)
	}
	const kept, chosen = `<input type="hidden" name="ttl_s" value="900">`, `<option value="900" selected>`
	if refused := string(s.submit(t, "/ui/workflows/wf-1/holds", "start=soon&duration=1h&ttl_s=900").ok(t, http.StatusUnprocessableEntity).body); !strings.Contains(refused, kept) {
		t.Errorf("how long to hold is lost:\n%s", refused)
	}
	s.shows(t, "/ui/workflows/wf-1?"+question+"&ttl_s=900", chosen)
	next := string(s.submit(t, "/ui/workflows/wf-1/holds", question+"&ttl_s=900").ok(t, http.StatusConflict).body)
	if !strings.Contains(next, "&amp;ttl_s=900") {
		t.Errorf("what is asked for instead loses how long to hold:\n%s", next)
	}
	other := s.sent(t, "/ui/workflows/wf-1/holds", "start="+on(1)+"T09:00:00Z&duration=1h&ttl_s=60")
	if to := s.sent(t, other+"/release", ""); to != "/ui/workflows/wf-1" {
		t.Errorf("after the release: %s", to)
	}
	natstest.Eventually(t, "its page tells of the release", func() bool {
		return strings.Contains(s.page(t, other, http.StatusGone), `data-status="released"`)
	})
	s.do(t, http.MethodGet, strings.TrimPrefix(other, "/ui"), "").problem(t, http.StatusNotFound)
	s.page(t, "/ui/holds/h-nix", http.StatusNotFound)
}

// submit sends a form as the page does.
func (s *site) submit(t *testing.T, path, fields string) answer {
	t.Helper()
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return s.do(t, http.MethodPost, path, fields, "Origin", s.url, "Content-Type", "application/x-www-form-urlencoded")
}

// sent sends a form that leads somewhere.
func (s *site) sent(t *testing.T, path, fields string) (to string) {
	t.Helper()
	return s.submit(t, path, fields).ok(t, http.StatusSeeOther).header.Get("Location")
}

// TestRecurringOnThePage previews what would be booked, in the zone that is meant, and books it.
func TestRecurringOnThePage(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	s.shows(t, "/ui/workflows/wf-1/recurring", `name="cron"`, "<button>Preview</button>")
	first := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 2) // within what is booked ahead
	s.sent(t, "/ui/workflows/wf-1/schedules", "start="+first.AddDate(0, 0, 1).Add(3*time.Hour).Format(time.RFC3339)+"&duration=1h")
	wish := "cron=0+8+*+*+*&time_zone=Asia/Karachi&start=" + first.Format("2006-01-02T15:04") + "&duration=1h&count=20" // at five hours from UTC throughout
	there := first.Format("Mon 2 Jan 2006, ") + "08:00 &#43;05:00"
	s.shows(t, "/ui/workflows/wf-1/recurring?"+wish, "9 of the next 10 would fit", there, `<tr data-status="unavailable">`,
		"cores: 8 asked for", ">Book</button>", `<option value="daily" selected>`, `name="at" type="time" value="08:00"`)
	if n := len(s.listed(t, "/schedules")); n != 1 {
		t.Errorf("looking has made %d schedules", n)
	}
	path := s.sent(t, "/ui/workflows/wf-1/schedules", wish)
	s.shows(t, path, "<code>0 8 * * *</code> in Asia/Karachi", there, "<button>Pause</button>", `data-status="conflict"`, "not booked yet")
	s.sent(t, path+"/pause", "")
	s.shows(t, path, `role="status" data-status="paused"`, "<button>Resume</button>")
	s.sent(t, path+"/resume", "")
	s.shows(t, path+"/cancel", "Cancel this schedule?", "<button>Cancel the schedule</button>")
	s.sent(t, path+"/cancel", "")
	s.shows(t, path, `role="status" data-status="cancelled"`)
	s.submit(t, path+"/pause", "").ok(t, http.StatusConflict)

	bad := s.page(t, "/ui/workflows/wf-1/recurring?cron=never&time_zone=Nowhere&count=x&until=now&duration=1h", http.StatusUnprocessableEntity)
	for _, field := range []string{"cron", "time_zone", "count", "until"} {
		if !strings.Contains(bad, `id="`+field+`-fault"`) {
			t.Errorf("the fault of %s is not at its field:\n%s", field, bad)
		}
	}
}

// TestStartingOnThePage leads to the run.
func TestStartingOnThePage(t *testing.T) {
	t.Parallel()
	s := startable(t)
	path := s.sent(t, "/ui/workflows/wf-1/runs", "start="+on(0)+"T09:00:00Z")
	if !strings.HasPrefix(path, "/ui/runs/r-") {
		t.Errorf("leads to %s", path)
	}
	natstest.Eventually(t, "it is completed", func() bool {
		return strings.Contains(s.page(t, path, http.StatusOK), `role="status" data-status="completed"`)
	})
}

// TestStaticFiles holds that what pages load is there for ever under its name, and small.
func TestStaticFiles(t *testing.T) {
	t.Parallel()
	s := newBareSite(t, httpapi.Config{}) // which has nothing else to show yet
	names := regexp.MustCompile(`/ui/static/[a-z]+\.[0-9a-f]{12}\.(css|js|svg)`).FindAllString(s.page(t, "/ui/", http.StatusServiceUnavailable), -1)
	if len(names) != 3 {
		t.Fatalf("the page loads %v", names)
	}
	for _, name := range names {
		got := s.do(t, http.MethodGet, name, "").ok(t, http.StatusOK)
		if !strings.Contains(got.header.Get("Cache-Control"), "immutable") || got.header.Get("Content-Type") == "" {
			t.Errorf("%s: %v", name, got.header)
		}
	}
	var bytes int64
	err := fs.WalkDir(os.DirFS("ui/static"), ".", func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			info, err := d.Info()
			bytes += info.Size()
			return err
		}
		return err
	})
	if err != nil || bytes > 100<<10 {
		t.Errorf("%d bytes of static files, %v", bytes, err)
	}
}
