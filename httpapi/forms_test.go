package httpapi_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store"
	"oc-scheduler/store/access"
)

// keyFor is the key that a page has for what it sends to an address; empty: it has none.
func keyFor(page, address string) string {
	found := regexp.MustCompile(`(?s)action="` + regexp.QuoteMeta(address) + `".{0,120}?name="idempotency_key" value="([^"]*)"`).FindStringSubmatch(page)
	if found == nil {
		return ""
	}
	return found[1]
}

// presses are several presses of a button at once, as a page has it: where each leads.
func (s *site) presses(t *testing.T, page, address, fields string) (to []string) {
	t.Helper()
	key := keyFor(s.page(t, page, http.StatusOK), address)
	if key == "" {
		t.Fatalf("%s has no key for %s", page, address)
	}
	if fields != "" {
		fields += "&"
	}
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answers := make([]answer, 4)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			answers[i] = s.do(t, http.MethodPost, address, fields+"idempotency_key="+url.QueryEscape(key), "Origin", s.url, "Content-Type", "application/x-www-form-urlencoded")
		})
	}
	all.Wait()
	for _, a := range append(answers, s.submit(t, address, fields+"idempotency_key="+url.QueryEscape(key))) {
		to = append(to, a.ok(t, http.StatusSeeOther).header.Get("Location"))
	}
	if to = slices.Compact(slices.Sorted(slices.Values(to))); len(to) != 1 {
		t.Errorf("presses of one button of %s lead to %v", page, to)
	}
	return to
}

// TestAButtonIsPressedOnce however often it is: each press shows what came of the first.
func TestAButtonIsPressedOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.plan(t, "peer-a", 64)
	s.do(t, http.MethodPut, "/oc/wf-1", commanded("wf-1", "wait")).ok(t, http.StatusCreated)
	s.enrol(t, "n1", store.Pending)
	natstest.Eventually(t, "the planner is in view", func() bool { return s.parts.Planners.Len() == 1 })
	const workflow = "/ui/workflows/wf-1"
	question := "start=" + on(0) + "T09:00:00Z&duration=1h"
	booked := s.presses(t, workflow+"?"+question, workflow+"/schedules", question)[0]
	held := s.presses(t, workflow+"?"+question, workflow+"/holds", question+"&ttl_s=300")[0]
	if list := s.listed(t, "/schedules"); len(list) != 1 {
		t.Errorf("it was booked %d times", len(list))
	}
	if holds := s.store.Plan.HoldsOpen(); holds != 1 {
		t.Errorf("it was held %d times", holds)
	}
	confirmed := s.presses(t, held, held+"/confirm", "")[0]
	s.presses(t, confirmed+"/cancel", confirmed+"/cancel", "")
	other := s.presses(t, workflow+"?"+question, workflow+"/holds", question+"&ttl_s=60")[0]
	s.presses(t, other, other+"/release", "")
	s.presses(t, booked+"/cancel", booked+"/cancel", "")
	recurs := s.presses(t, workflow+"/recurring?cron=0+8+*+*+*&duration=1h", workflow+"/schedules", "cron=0+8+*+*+*&duration=1h")[0]
	s.presses(t, recurs, recurs+"/pause", "")
	s.presses(t, recurs, recurs+"/resume", "")
	begun := s.presses(t, workflow+"/runs?duration=1h", workflow+"/runs", "duration=1h")[0]
	if list := s.listed(t, "/runs"); len(list) != 1 {
		t.Errorf("it was started %d times", len(list))
	}
	s.presses(t, begun+"/cancel", begun+"/cancel", "")
	s.presses(t, "/ui/nodes/n1", "/ui/nodes/n1/approve", "")
	s.presses(t, "/ui/nodes/n1/reject", "/ui/nodes/n1/reject", "")

	next := "start=" + on(1) + "T09:00:00Z&duration=1h" // of a page that knows no keys
	first := s.sent(t, workflow+"/schedules", next)
	if second := s.sent(t, workflow+"/schedules", next); second != first {
		t.Errorf("sent twice without a key it is booked at %s and %s", first, second)
	}
}

// TestAnotherPressIsAnother: who renders the page anew, or changes what is asked, asks for something else.
func TestAnotherPressIsAnother(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	s.plan(t, "peer-a", 64)
	natstest.Eventually(t, "the planner is in view", func() bool { return s.parts.Planners.Len() == 1 })
	question := "start=" + on(0) + "T09:00:00Z&duration=1h"
	book := func() string {
		return s.presses(t, "/ui/workflows/wf-1?"+question, "/ui/workflows/wf-1/schedules", question)[0]
	}
	if first, second := book(), book(); first == second {
		t.Error("two pages book once")
	}
}

// TestWhatIsBookedIsWhatTheFieldsSay: when they say something else than what was checked, that is checked and shown first.
func TestWhatIsBookedIsWhatTheFieldsSay(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	const workflow = "/ui/workflows/wf-1"
	asked, changed := "start="+on(0)+"T09:00:00Z&duration=1h", "start="+on(0)+"T11:00:00Z&duration=1h"
	for _, what := range []string{"/schedules", "/holds"} {
		key := keyFor(s.page(t, workflow+"?"+asked, http.StatusOK), workflow+what)
		to := s.sent(t, workflow+what, changed+"&ttl_s=60&idempotency_key="+url.QueryEscape(key))
		if !strings.HasPrefix(to, workflow+"?") {
			t.Fatalf("it leads to %s", to)
		}
		s.shows(t, to, on(0)+"T11:00:00", "Nothing was ", `data-status="available"`)
	}
	if list := s.listed(t, "/schedules"); len(list) > 0 || s.store.Plan.HoldsOpen() > 0 {
		t.Errorf("it has booked %v", list)
	}
	recurs := "cron=0+8+*+*+*&duration=1h"
	key := keyFor(s.page(t, workflow+"/recurring?"+recurs, http.StatusOK), workflow+"/schedules")
	to := s.sent(t, workflow+"/schedules", recurs+"&count=3&idempotency_key="+url.QueryEscape(key))
	if !strings.HasPrefix(to, workflow+"/recurring?") || len(s.listed(t, "/schedules")) > 0 {
		t.Errorf("a calendar that was changed leads to %s", to)
	}
	key = keyFor(s.page(t, to, http.StatusOK), workflow+"/schedules")
	if booked := s.sent(t, workflow+"/schedules", recurs+"&count=3&idempotency_key="+url.QueryEscape(key)); !strings.HasPrefix(booked, "/ui/schedules/") {
		t.Errorf("what was shown leads to %s", booked)
	}
}

// TestWhatTheFormSaysIsWhatWasAsked: a question in whatever words is sent by its form as it was checked.
func TestWhatTheFormSaysIsWhatWasAsked(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	s.plan(t, "peer-a", 64) // runs of what is booked from now on have begun, and stay
	natstest.Eventually(t, "the planner is in view", func() bool { return s.parts.Planners.Len() == 1 })
	for _, query := range []string{
		"start=" + on(0) + "T09:00:00Z&end=" + on(0) + "T10:30:00Z", "duration_s=90", "as_possible=1", "booking_mode=preempted&duration=1h",
		"selected_instances=cluster:i0&duration=1h", "selected_instances=peer-a/cluster:i0&start=" + on(0) + "T09:00:00%2B02:00",
	} {
		page := s.page(t, "/ui/workflows/wf-1?"+query, http.StatusOK)
		fields := fieldsOf(t, page, "question")
		fields.Set("idempotency_key", keyFor(page, "/ui/workflows/wf-1/schedules"))
		to := s.submit(t, "/ui/workflows/wf-1/schedules", fields.Encode()).ok(t, http.StatusSeeOther).header.Get("Location")
		if !strings.HasPrefix(to, "/ui/schedules/") {
			t.Errorf("the form of %s is sent as %v, which leads to %s", query, fields, to)
		}
	}
}

var (
	inputs  = regexp.MustCompile(`<input [^>]*>`)
	options = regexp.MustCompile(`(?s)<select [^>]*name="([^"]*)"[^>]*>(.*?)</select>`)
	chosen  = regexp.MustCompile(`<option value="([^"]*)" selected>`)
	named   = regexp.MustCompile(` name="([^"]*)"`)
	valued  = regexp.MustCompile(` value="([^"]*)"`)
)

// fieldsOf are what a browser without script sends of a form as the page has filled it in.
func fieldsOf(t *testing.T, page, id string) url.Values {
	t.Helper()
	_, form, found := strings.Cut(page, `id="`+id+`"`)
	if !found {
		t.Fatalf("there is no form %s:\n%s", id, page)
	}
	form, _, _ = strings.Cut(form, "</form>")
	fields := url.Values{}
	for _, input := range inputs.FindAllString(form, -1) {
		name, value := named.FindStringSubmatch(input), valued.FindStringSubmatch(input)
		if name == nil || strings.Contains(input, `type="checkbox"`) && !strings.Contains(input, " checked") {
			continue
		}
		if value == nil {
			value = []string{"", ""}
		}
		fields.Add(name[1], value[1])
	}
	for _, list := range options.FindAllStringSubmatch(form, -1) {
		if is := chosen.FindStringSubmatch(list[2]); is != nil {
			fields.Add(list[1], is[1])
		}
	}
	return fields
}

// TestPagesWithKeysAreNotKept: what a browser shows again would be a press that was.
func TestPagesWithKeysAreNotKept(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	for path, kept := range map[string]string{"/ui/workflows/wf-1": "no-store", "/ui/workflows/wf-1/runs": "no-store", "/ui/": "no-cache", "/ui/nodes": "no-cache"} {
		got := s.do(t, http.MethodGet, path, "").ok(t, http.StatusOK)
		if got.header.Get("Cache-Control") != kept || strings.Contains(string(got.body), "idempotency_key") != (kept == "no-store") {
			t.Errorf("%s is %s", path, got.header.Get("Cache-Control"))
		}
	}
}

// TestWhoMayNotDecideIsNotAskedTo: a right that is lacking has no button.
func TestWhoMayNotDecideIsNotAskedTo(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	s.enrol(t, "n1", store.Pending)
	for role, may := range map[access.Role]bool{access.Viewer: false, access.User: false, access.Operator: true} {
		page := string(s.do(t, http.MethodGet, "/ui/nodes/n1", "", "Authorization", s.as(t, role, "mine")).ok(t, http.StatusOK).body)
		if strings.Contains(page, ">Approve<") != may || strings.Contains(page, ">Reject<") != may {
			t.Errorf("a %v is shown\n%s", role, page)
		}
	}
}

// TestWhatCannotBeUndoneIsAskedFor before it is done, with what will happen.
func TestWhatCannotBeUndoneIsAskedFor(t *testing.T) {
	t.Parallel()
	s := startable(t)
	s.enrol(t, "n1", store.Approved)
	s.shows(t, "/ui/workflows/wf-1", `formaction="/ui/workflows/wf-1/runs">Start now</button>`)
	s.shows(t, "/ui/workflows/wf-1/runs?duration=30m&start="+on(0)+"T09:00&ttl_s=300&zoom=day",
		"Start a run now?", "30m", `data-status="available"`, `<bdi>peer-a</bdi>`, "<button>Start the run</button>", `href="/ui/workflows/wf-1?`)
	if runs := s.listed(t, "/runs"); len(runs) > 0 {
		t.Errorf("the question has begun %v", runs)
	}
	s.page(t, "/ui/workflows/wf-1/runs?duration=long", http.StatusUnprocessableEntity)
	s.page(t, "/ui/workflows/nix/runs", http.StatusNotFound)
	s.shows(t, "/ui/nodes/n1", `<form method="get" action="/ui/nodes/n1/reject"><button>Reject</button>`)
	s.shows(t, "/ui/nodes/n1/reject", "Reject this node?", "<button>Reject the node</button>", `href="/ui/nodes/n1"`)
	if n, _ := s.parts.Nodes.Get("n1"); n.Value.Membership != store.Approved {
		t.Errorf("the question has made it %v", n.Value.Membership)
	}
	s.page(t, "/ui/nodes/nix/reject", http.StatusNotFound)
}
