package httpapi_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"oc-scheduler/store/access"
)

// grouped is a guarded site with the workflows own, of the groups own and other; foreign, of the group foreign;
// and all, which is everybody's. The bearers are in the group own.
func grouped(t *testing.T) (s *site, bearers map[string]string) {
	t.Helper()
	s = newSite(t, guarded())
	bearers = map[string]string{
		"viewer": s.as(t, access.Viewer, "own"), "user": s.as(t, access.User, "own"),
		"operator": s.as(t, access.Operator, "own"), "admin": s.as(t, access.Admin),
	}
	for id, query := range map[string]string{"own": "?group=own&group=other", "foreign": "?group=foreign", "all": ""} {
		s.do(t, http.MethodPut, "/oc/"+id+query, sampleWorkflow(id, 8), "Authorization", bearers["admin"]).ok(t, http.StatusCreated)
	}
	return s, bearers
}

// TestWhatBelongsToGroups is there for those in one of them, for each role and each thing to do with it. What is
// not there is told of as what does not exist, to the byte.
func TestWhatBelongsToGroups(t *testing.T) {
	t.Parallel()
	s, bearers := grouped(t)
	get := func(path string) func(string, ...string) answer {
		return func(id string, header ...string) answer {
			return s.do(t, http.MethodGet, "/oc/"+id+path, "", header...)
		}
	}
	deeds := map[string]func(id string, header ...string) answer{
		"read":         get(""),
		"check":        get("/check" + inDecember),
		"check events": func(id string, header ...string) answer { return s.first(t, "/oc/"+id+"/check"+inDecember, header...) },
		"check by post": func(id string, header ...string) answer {
			return s.do(t, http.MethodPost, "/oc/"+id+"/check", asked, header...)
		},
		"check and wait": func(id string, header ...string) answer {
			return s.do(t, http.MethodPost, "/oc/"+id+"/check?wait=1ms", asked, header...)
		},
		"write": func(id string, header ...string) answer {
			return s.do(t, http.MethodPut, "/oc/"+id, sampleWorkflow(id, 8), header...)
		},
		"write if it is another": func(id string, header ...string) answer {
			return s.do(t, http.MethodPut, "/oc/"+id, sampleWorkflow(id, 8), append(header, "If-Match", `"999999999"`)...)
		},
		"write if there is none": func(id string, header ...string) answer {
			return s.do(t, http.MethodPut, "/oc/"+id, sampleWorkflow(id, 8), append(header, "If-None-Match", `*`)...)
		},
		"remove if it is another": func(id string, header ...string) answer {
			return s.do(t, http.MethodDelete, "/oc/"+id, "", append(header, "If-Match", `"999999999"`)...)
		},
	}
	const ok, forbidden, missing, otherwise = http.StatusOK, http.StatusForbidden, http.StatusNotFound, http.StatusPreconditionFailed
	roles := []string{"viewer", "user", "operator", "admin"}
	for deed, want := range map[string]struct{ own, foreign [4]int }{
		"read":                    {[4]int{ok, ok, ok, ok}, [4]int{missing, missing, ok, ok}},
		"check":                   {[4]int{ok, ok, ok, ok}, [4]int{missing, missing, ok, ok}},
		"check events":            {[4]int{ok, ok, ok, ok}, [4]int{missing, missing, ok, ok}},
		"check by post":           {[4]int{ok, ok, ok, ok}, [4]int{missing, missing, ok, ok}},
		"check and wait":          {[4]int{ok, ok, ok, ok}, [4]int{missing, missing, ok, ok}},
		"write":                   {[4]int{forbidden, ok, ok, ok}, [4]int{forbidden, missing, ok, ok}},
		"write if it is another":  {[4]int{forbidden, otherwise, otherwise, otherwise}, [4]int{forbidden, missing, otherwise, otherwise}},
		"write if there is none":  {[4]int{forbidden, otherwise, otherwise, otherwise}, [4]int{forbidden, missing, otherwise, otherwise}},
		"remove if it is another": {[4]int{forbidden, otherwise, otherwise, otherwise}, [4]int{forbidden, otherwise, otherwise, otherwise}},
	} {
		for i, role := range roles {
			bearer := []string{"Authorization", bearers[role]}
			for id, status := range map[string]int{"own": want.own[i], "all": want.own[i], "foreign": want.foreign[i]} {
				got := deeds[deed](id, bearer...)
				if got.status != status {
					t.Errorf("%s of %s as %s: %d %s, want %d", deed, id, role, got.status, got.body, status)
				}
				if got.status == missing && !strings.HasPrefix(deed, "write") {
					if none := deeds[deed]("nothing", bearer...); none.status != missing || !bytes.Equal(none.body, got.body) {
						t.Errorf("%s as %s: %s tells of what %s does not", deed, role, got.body, none.body)
					}
				}
			}
		}
	}
	for _, role := range roles {
		admitted := role == "operator" || role == "admin"
		conn, err := s.connect(t.Context(), "/oc/foreign/check"+inDecember, bearing(bearers[role]))
		if (err == nil) != admitted {
			t.Errorf("a WebSocket of %s: %v", role, err)
		}
		if conn != nil {
			_ = conn.CloseNow()
		}
		s.dial(t, "/oc/own/check"+inDecember, bearing(bearers[role]))
	}
}

// first is the answer to a request for events, of which the first is read.
func (s *site) first(t *testing.T, path string, header ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	read := make([]byte, 1<<10)
	n, _ := response.Body.Read(read)
	return answer{response.StatusCode, response.Header, read[:n]}
}

// TestListsShowNoOtherGroups, on no page and in no cursor.
func TestListsShowNoOtherGroups(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	admin := s.as(t, access.Admin)
	for i := range 12 {
		id := fmt.Sprintf("w%02d", i)
		s.do(t, http.MethodPut, "/oc/"+id+"?group="+[]string{"own", "foreign", "foreign"}[i%3], sampleWorkflow(id, 8), "Authorization", admin).ok(t, http.StatusCreated)
	}
	for role, want := range map[access.Role][]string{
		access.Viewer:   {"w00", "w03", "w06", "w09"},
		access.Operator: {"w00", "w01", "w02", "w03", "w04", "w05", "w06", "w07", "w08", "w09", "w10", "w11"},
	} {
		bearer := s.as(t, role, "own")
		for limit := range 5 {
			var got []string
			for query := fmt.Sprintf("?limit=%d", limit+1); query != ""; {
				page := s.do(t, http.MethodGet, "/oc"+query, "", "Authorization", bearer).ok(t, http.StatusOK).json(t)
				for _, item := range page["items"].([]any) {
					got = append(got, item.(map[string]any)["id"].(string))
				}
				query = ""
				if cursor, more := page["next_cursor"].(string); more {
					query = fmt.Sprintf("?limit=%d&cursor=%s", limit+1, url.QueryEscape(cursor))
					if id, err := base64.RawURLEncoding.DecodeString(cursor); err != nil || !slices.Contains(want, string(id)) {
						t.Errorf("the cursor names %s, %v", id, err)
					}
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%v, %d a page: %q", role, limit+1, got)
			}
		}
	}
}

// TestThePageOfWorkflowsShowsNoOtherGroups, neither in its counts nor by a link to what follows.
func TestThePageOfWorkflowsShowsNoOtherGroups(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	admin := s.as(t, access.Admin)
	for i := range 120 {
		id := fmt.Sprintf("w%03d", i)
		s.do(t, http.MethodPut, "/oc/"+id+"?group="+[]string{"own", "foreign"}[i/60], sampleWorkflow(id, 8), "Authorization", admin).ok(t, http.StatusCreated)
	}
	for group, want := range map[string]struct{ first, last int }{"own": {0, 59}, "foreign": {60, 119}} {
		viewer := s.as(t, access.Viewer, group)
		first := string(s.do(t, http.MethodGet, "/ui/", "", "Authorization", viewer).ok(t, http.StatusOK).body)
		if !strings.Contains(first, "<b>60</b> workflows") || strings.Count(first, `<th scope="row">`) != 50 {
			t.Errorf("the first page of %s is\n%s", group, first)
		}
		_, next, _ := strings.Cut(first, `<a rel="next" href="`)
		next, _, _ = strings.Cut(next, `"`)
		last := string(s.do(t, http.MethodGet, "/ui/"+strings.ReplaceAll(next, "&amp;", "&"), "", "Authorization", viewer).ok(t, http.StatusOK).body)
		if strings.Count(last, `<th scope="row">`) != 10 || strings.Contains(last, `rel="next"`) {
			t.Errorf("the page after it, at %q, is\n%s", next, last)
		}
		for i := range 120 {
			if shown := strings.Contains(first+last, fmt.Sprintf("/ui/workflows/w%03d", i)); shown != (i >= want.first && i <= want.last) {
				t.Errorf("%s sees w%03d: %t", group, i, shown)
			}
		}
	}
}

// TestAWorkflowBelongsToItsAuthorsGroups, or to those of them that he names; replaced, it keeps them.
func TestAWorkflowBelongsToItsAuthorsGroups(t *testing.T) {
	t.Parallel()
	s := newSite(t, guarded())
	user, colleague := s.as(t, access.User, "a", "b"), s.as(t, access.User, "b")
	put := func(bearer, path string) answer {
		t.Helper()
		return s.do(t, http.MethodPut, "/oc/"+path, strings.Replace(sampleWorkflow("w", 8), "{", `{"groups":["chosen"],`, 1), "Authorization", bearer)
	}
	groups := func(want string) {
		t.Helper()
		got := s.do(t, http.MethodGet, "/oc/w", "", "Authorization", user).ok(t, http.StatusOK).json(t)
		if fmt.Sprint(got["groups"]) != want {
			t.Errorf("groups are %v, want %s", got["groups"], want)
		}
	}
	if got := put(user, "w").ok(t, http.StatusCreated).json(t); fmt.Sprint(got["groups"]) != "[a b]" {
		t.Errorf("answer has %v", got["groups"])
	}
	groups("[a b]")
	put(colleague, "w").ok(t, http.StatusOK)
	groups("[a b]")
	if p := put(colleague, "w?group=a").problem(t, http.StatusForbidden); !strings.Contains(p["detail"].(string), `"a"`) {
		t.Error(p)
	}
	put(user, "w?group=a").ok(t, http.StatusOK)
	groups("[a]")
	put(colleague, "w").problem(t, http.StatusNotFound)
	s.do(t, http.MethodDelete, "/oc/w", "", "Authorization", colleague).problem(t, http.StatusNotFound)
	put(user, "w?group=").problem(t, http.StatusUnprocessableEntity)
	put(user, "w?group=a"+strings.Repeat("&group=a", 64)).problem(t, http.StatusUnprocessableEntity)
	put(user, "w?groups=a").problem(t, http.StatusUnprocessableEntity)
	put(s.as(t, access.Operator), "w?group=z&group=a").ok(t, http.StatusOK)
	groups("[a z]")
}

// TestAWorkflowThatLeavesItsWatchersGroups is gone, to him.
func TestAWorkflowThatLeavesItsWatchersGroups(t *testing.T) {
	t.Parallel()
	s, bearers := grouped(t)
	socket := s.dial(t, "/oc/own/check"+inDecember, bearing(bearers["viewer"]))
	receive(t, socket)
	events := s.listen(t, "/oc/own/check"+inDecember, "Authorization", bearers["viewer"])
	events.must(t)
	other := s.dial(t, "/oc/own/check"+inDecember, bearing(bearers["operator"]))
	receive(t, other)
	s.do(t, http.MethodPut, "/oc/own?group=foreign", sampleWorkflow("own", 4), "Authorization", bearers["admin"]).ok(t, http.StatusOK)
	if got := receive(t, socket); got["type"] != "error" || got["status"] != float64(http.StatusNotFound) {
		t.Errorf("the last frame is %v", got)
	}
	closes(t, socket, websocket.StatusCode(4404))
	if v := events.must(t); v.name != "error" {
		t.Errorf("the last event is %+v", v)
	}
	if got := receive(t, other); got["type"] != "result" {
		t.Errorf("whoever still sees it has %v", got)
	}
}
