package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/access"
)

// part is a part of a page.
func (s *site) part(t *testing.T, path, name string) string {
	t.Helper()
	_, part, found := strings.Cut(s.page(t, path, http.StatusOK), `data-part="`+name+`"`)
	if !found {
		t.Fatalf("%s has no part %s", path, name)
	}
	part, _, _ = strings.Cut(part, "data-part=")
	return part
}

func holdsAll(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		at := strings.Index(text, part)
		if at < 0 {
			t.Errorf("%s lacks %q, there or after what comes before it:\n%s", what, part, text)
			return
		}
		text = text[at:]
	}
}

// TestListsSayWhen each thing begins and ends, since when it is there, and in which order they are.
func TestListsSayWhen(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	const of = "/ui/workflows/wf-1/"
	when := func(day int, hour string) string { return `<time datetime="` + on(day) + "T" + hour + `:00:00Z">` }
	recurs := s.sent(t, of+"schedules", "cron=0+8+*+*+*&start="+on(-20)+"T00:00:00Z&duration=1h&count=2")
	once := s.sent(t, of+"schedules", "start="+on(0)+"T12:00:00Z&duration=1h")
	late := s.sent(t, of+"holds", "start="+on(0)+"T09:00:00Z&duration=1h&ttl_s=900")
	soon := s.sent(t, of+"holds", "start="+on(1)+"T09:00:00Z&duration=1h&ttl_s=300")
	for _, page := range []string{"/ui/workflows/wf-1", "/ui/bookings", "/ui/bookings?workflow=wf-1"} {
		natstest.Eventually(t, page+" shows all", func() bool { return strings.Contains(s.page(t, page, http.StatusOK), soon) })
		holdsAll(t, page, s.part(t, page, "holds"), "what ends first comes first", ">Begin<", ">End<", ">Held until<", `href="`+soon, when(1, "09"), when(1, "10"), `href="`+late, when(0, "09"), when(0, "10"))
		holdsAll(t, page, s.part(t, page, "schedules"), "the newest first", ">Next begin<", ">Next end<", ">Since<", `href="`+once, "once", when(0, "12"), when(0, "13"), `href="`+recurs, "<code>0 8 * * *</code> in UTC", `T08:00:00Z">`, `T09:00:00Z">`)
	}
	if page := s.page(t, "/ui/bookings?workflow=wf-2", http.StatusOK); strings.Contains(page, once) {
		t.Errorf("bookings of another workflow are\n%s", page)
	}
	s.page(t, "/ui/bookings?workflow=%00", http.StatusUnprocessableEntity)
	s.shows(t, "/ui/", `<a href="/ui/bookings">Bookings</a>`)
	s.shows(t, "/ui/nodes", "by name")
	conn := s.newsOf(t, "/ui/bookings")
	untilShows(t, conn, soon)
	s.sent(t, soon+"/release", "")
	untilShows(t, conn, late)
	natstest.Eventually(t, "a hold that was released is not listed", func() bool { return !strings.Contains(s.page(t, "/ui/bookings", http.StatusOK), soon) })
}

// TestBookingsAreForTheirGroups.
func TestBookingsAreForTheirGroups(t *testing.T) {
	t.Parallel()
	s, mine, theirs, _ := discreet(t)
	held := s.do(t, http.MethodPost, "/oc/wf-2/holds", `{`+window+`,"ttl_s":900}`, theirs...).ok(t, http.StatusCreated).header.Get("Location")
	natstest.Eventually(t, "it is listed to its groups", func() bool {
		return strings.Contains(string(s.do(t, http.MethodGet, "/ui/bookings", "", theirs...).ok(t, http.StatusOK).body), held)
	})
	if seen := string(s.do(t, http.MethodGet, "/ui/bookings", "", mine...).ok(t, http.StatusOK).body); strings.Contains(seen, held) || strings.Contains(seen, "wf-2") {
		t.Errorf("others see\n%s", seen)
	}
	s.do(t, http.MethodDelete, held, "", theirs...).ok(t, http.StatusNoContent)
	for _, who := range []struct {
		bearer []string
		status int
	}{{mine, http.StatusNotFound}, {theirs, http.StatusGone}, {[]string{"Authorization", s.as(t, access.Viewer, "theirs")}, http.StatusGone}} {
		s.do(t, http.MethodGet, "/ui"+held, "", who.bearer...).ok(t, who.status)
	}
}

// TestTheSameReasonIsToldOnce, with how often and when it is so.
func TestTheSameReasonIsToldOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.plan(t, "peer-a", 10)
	var few, many []string
	for i := range 41 {
		few = append(few, fmt.Sprintf(`"n%02d":{"compute":{"id":"cluster","peer_id":"peer-a","demand":{"cores":8}}}`, i))
		many = append(many, fmt.Sprintf(`"n%02d":{"compute":{"id":"cluster","peer_id":"peer-a","demand":{"cores":65}}}`, i))
	}
	for id, items := range map[string][]string{"wf-1": few, "wf-2": many} {
		s.do(t, http.MethodPut, "/oc/"+id, `{"id":"`+id+`","graph":{"items":{`+strings.Join(items, ",")+`},"links":[]}}`).ok(t, http.StatusCreated)
	}
	natstest.Eventually(t, "the planner is in view", func() bool { return s.parts.Planners.Len() == 1 })
	question := "start=" + on(0) + "T09:00:00Z&duration=1h"
	told := func(what, page, reason, often string) {
		t.Helper()
		_, page, _ = strings.Cut(page, "<h1>")
		page, _, _ = strings.Cut(page, `data-part="timeline"`)
		if n := strings.Count(page, reason); n != 1 || !strings.Contains(page, often) {
			t.Errorf("%s tells %d times that %s:\n%s", what, n, reason, page)
		}
	}
	const short, never = "cores: 8 asked for, 2 free", "could ever hold what is needed"
	told("the answer", s.page(t, "/ui/workflows/wf-1?"+question, http.StatusOK), short, ">40 times<")
	told("the warnings", s.page(t, "/ui/workflows/wf-2?"+question, http.StatusOK), never, ">41 times<")
	told("the refusal", string(s.submit(t, "/ui/workflows/wf-1/schedules", question).ok(t, http.StatusConflict).body), short, ">40 times<")
	told("the preview", s.page(t, "/ui/workflows/wf-1/recurring?cron=0+8+*+*+*&duration=1h", http.StatusOK), short, ">400 times<")
}

// TestWhyNotElsewhere tells of each instance that was looked at why it does not do, and of the next windows that would.
func TestWhyNotElsewhere(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "wf-1", 8).ok(t, http.StatusCreated)
	slot := func(instance, from, to string) string {
		return fmt.Sprintf(`{"start":"%[1]sT%[2]s:00:00Z","end":"%[1]sT%[3]s:00:00Z","instance_id":%[4]q,"usage":{"cores":6}}`, on(0), from, to, instance)
	}
	s.planned(t, []byte(`{"peer_id":"peer-a","generated_at":"2026-11-30T00:00:00Z","capacities":{"cluster":{"i0":{"cores":10},"i1":{"cores":4},"i1b":{"cores":4},"i2":{"cores":12}}},
		"schedule":{"cluster":[`+slot("i0", "08", "11")+","+slot("i0", "12", "14")+","+slot("i0", "15", "17")+","+slot("i2", "09", "23")+`]}}`))
	natstest.Eventually(t, "the planner is in view", func() bool { return s.parts.Planners.Len() == 1 })
	question := "/ui/workflows/wf-1?start=" + on(0) + "T09:30:00Z&duration=1h"
	answer := s.part(t, question, "answer")
	when := func(hour string) string { return `<time datetime="` + on(0) + "T" + hour + `:00Z">` }
	holdsAll(t, "the answer", answer, "It fits from "+when("11:00"), "Ask for that", when("14:00"), "Ask for the second", when("17:00"), "Ask for the third",
		"<summary>Why not elsewhere</summary>", "<bdi>i1</bdi>, <bdi>i1b</bdi>: cores: 8 asked for, it has 4", "<bdi>i2</bdi>: cores: 8 asked for, 6 free at the least, from "+when("09:30"), when("10:30"))
	if strings.Contains(answer, "<bdi>i0</bdi>: cores") {
		t.Errorf("the instance that is told of beside is among the others:\n%s", answer)
	}
	if answer := s.part(t, question+"&selected_instances=cluster:i0", "answer"); strings.Contains(answer, "elsewhere") {
		t.Errorf("where one is asked for, others are told of:\n%s", answer)
	}
}

// TestRhythmsNeedNoExpression: what comes again and again can be chosen.
func TestRhythmsNeedNoExpression(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	const page = "/ui/workflows/wf-1/recurring?duration=1h&time_zone=Europe/Paris&"
	s.shows(t, "/ui/workflows/wf-1/recurring", `<option value="daily" selected>`, "How many times", `name="repeat"`, `name="at"`, `name="weekday"`)
	for chosen, cron := range map[string]string{
		"repeat=hourly&at=08:30": "0 * * * *", "repeat=daily&at=08:30&cron=": "30 8 * * *", "repeat=weekdays&at=08:05&weekday=SUN": "5 8 * * MON-FRI",
		"repeat=weekly&at=00:00&weekday=SUN": "0 0 * * SUN", "repeat=own&cron=0+8+1+*+*&at=09:00": "0 8 1 * *", "cron=0+8+1+*+*": "0 8 1 * *",
	} {
		s.shows(t, page+chosen, "of the next 10 would fit", "<code>"+cron+"</code> in Europe/Paris")
	}
	s.shows(t, page+"cron=30+8+*+*+MON-FRI", `<option value="weekdays" selected>`, `name="at" type="time" value="08:30"`, `name="cron" autocomplete="off" value=""`)
	for chosen, field := range map[string]string{
		"repeat=yearly": "repeat", "repeat=daily&at=25:00": "at", "repeat=weekly&at=08:00&weekday=x": "weekday", "repeat=daily&at=08:00&cron=x": "cron", "repeat=own": "cron",
	} {
		if refused := s.page(t, page+chosen, http.StatusUnprocessableEntity); !strings.Contains(refused, `id="`+field+`-fault"`) {
			t.Errorf("the fault of %s is not at its field:\n%s", chosen, refused)
		}
	}
	booked := s.sent(t, "/ui/workflows/wf-1/schedules", "repeat=weekdays&at=08:30&weekday=MON&duration=1h")
	s.shows(t, booked, "<code>30 8 * * MON-FRI</code>")
}

// TestWhatMovesByItselfIsNotReadAloud: the time of a question about now is another each minute.
func TestWhatMovesByItselfIsNotReadAloud(t *testing.T) {
	t.Parallel()
	s := bookable(t)
	for query, quiet := range map[string]bool{"duration=1h": true, "as_possible=true&duration=1h": true, "duration=1h&start=" + on(0) + "T09:00:00Z": false} {
		_, status, _ := strings.Cut(s.page(t, "/ui/workflows/wf-1?"+query, http.StatusOK), `<p role="status"`)
		if status, _, _ = strings.Cut(status, "</p>"); strings.Contains(status, `aria-live="off">from <time`) != quiet {
			t.Errorf("of %s the time is %s", query, status)
		}
	}
}
