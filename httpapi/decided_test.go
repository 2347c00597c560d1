package httpapi_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"oc-scheduler/httpapi"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/store/access"
	"oc-scheduler/store/execution"
	"oc-scheduler/store/schedule"
)

// reach is what a route shows of what belongs to groups to who is in none of them.
type reach int

const (
	everybodys reach = iota // it is about nothing that belongs to groups
	hidden                  // what it is about is absent
	listed                  // what it lists is left out
)

// decided is, of each route, the least role that it takes, "" where it is open to all, and what it shows of others'.
// It is decided here once more than in the product, on purpose.
var decided = map[string]struct {
	least string
	reach reach
}{
	"GET /oc":                      {"viewer", listed},
	"GET /oc/{id}":                 {"viewer", hidden},
	"PUT /oc/{id}":                 {"user", hidden},
	"DELETE /oc/{id}":              {"user", hidden},
	"GET /oc/{id}/check":           {"viewer", hidden},
	"POST /oc/{id}/check":          {"viewer", hidden},
	"GET /oc/{id}/schedules":       {"viewer", hidden},
	"POST /oc/{id}/schedules":      {"user", hidden},
	"POST /oc/{id}/preview":        {"viewer", hidden},
	"POST /oc/{id}/holds":          {"user", hidden},
	"POST /oc/{id}/runs":           {"user", hidden},
	"GET /schedules":               {"viewer", listed},
	"GET /schedules/{id}":          {"viewer", hidden},
	"DELETE /schedules/{id}":       {"user", hidden},
	"GET /schedules/{id}/next":     {"viewer", hidden},
	"GET /schedules/{id}/events":   {"viewer", hidden},
	"POST /schedules/{id}/pause":   {"user", hidden},
	"POST /schedules/{id}/resume":  {"user", hidden},
	"GET /holds/{id}":              {"viewer", hidden},
	"DELETE /holds/{id}":           {"user", hidden},
	"POST /holds/{id}/confirm":     {"user", hidden},
	"GET /runs":                    {"viewer", listed},
	"GET /runs/{id}":               {"viewer", hidden},
	"GET /runs/{id}/history":       {"viewer", hidden},
	"GET /runs/{id}/events":        {"viewer", hidden},
	"POST /runs/{id}/cancel":       {"user", hidden},
	"GET /executions":              {"viewer", listed},
	"GET /executions/{id}":         {"viewer", hidden},
	"GET /executions/{id}/logs":    {"user", hidden},
	"POST /executions/{id}/cancel": {"user", hidden},

	"GET /planners":               {"viewer", everybodys},
	"GET /planners/{peer}":        {"viewer", everybodys},
	"GET /nodes":                  {"viewer", everybodys},
	"GET /nodes/{id}":             {"viewer", everybodys},
	"DELETE /nodes/{id}":          {"operator", everybodys},
	"POST /nodes/{id}/approve":    {"operator", everybodys},
	"POST /nodes/{id}/reject":     {"operator", everybodys},
	"POST /nodes/{id}/executions": {"operator", everybodys},
	"GET /whoami":                 {"viewer", everybodys},
	"GET /metrics":                {"operator", everybodys},
	"GET /dead":                   {"operator", everybodys},
	"GET /tokens":                 {"admin", everybodys},
	"POST /tokens":                {"admin", everybodys},
	"DELETE /tokens/{id}":         {"admin", everybodys},
	"GET /livez":                  {"", everybodys},
	"GET /readyz":                 {"", everybodys},
	"GET /readyz?verbose":         {"operator", everybodys},
	"GET /openapi.json":           {"", everybodys},
	"GET /asyncapi.json":          {"", everybodys},
	"GET /docs":                   {"", everybodys},

	"GET /":                             {"", everybodys},
	"GET /ui":                           {"", everybodys},
	"GET /ui/":                          {"viewer", listed},
	"GET /ui/workflows/{id}":            {"viewer", hidden},
	"GET /ui/workflows/{id}/recurring":  {"viewer", hidden},
	"POST /ui/workflows/{id}/schedules": {"user", hidden},
	"POST /ui/workflows/{id}/holds":     {"user", hidden},
	"GET /ui/workflows/{id}/runs":       {"user", hidden},
	"POST /ui/workflows/{id}/runs":      {"user", hidden},
	"GET /ui/bookings":                  {"viewer", listed},
	"GET /ui/schedules/{id}":            {"viewer", hidden},
	"GET /ui/schedules/{id}/cancel":     {"user", hidden},
	"POST /ui/schedules/{id}/cancel":    {"user", hidden},
	"POST /ui/schedules/{id}/pause":     {"user", hidden},
	"POST /ui/schedules/{id}/resume":    {"user", hidden},
	"GET /ui/holds/{id}":                {"viewer", hidden},
	"POST /ui/holds/{id}/confirm":       {"user", hidden},
	"POST /ui/holds/{id}/release":       {"user", hidden},
	"GET /ui/runs/{id}":                 {"viewer", hidden},
	"GET /ui/runs/{id}/cancel":          {"user", hidden},
	"POST /ui/runs/{id}/cancel":         {"user", hidden},
	"GET /ui/peers":                     {"viewer", everybodys},
	"GET /ui/peers/{id}":                {"viewer", everybodys},
	"GET /ui/nodes":                     {"viewer", everybodys},
	"GET /ui/nodes/{id}":                {"viewer", everybodys},
	"POST /ui/nodes/{id}/approve":       {"operator", everybodys},
	"GET /ui/nodes/{id}/reject":         {"operator", everybodys},
	"POST /ui/nodes/{id}/reject":        {"operator", everybodys},
	"GET /ui/dead":                      {"operator", everybodys},
	"GET /ui/static/{name}":             {"", everybodys},
	"GET /ui/login":                     {"", everybodys},
	"POST /ui/login":                    {"", everybodys},
	"POST /ui/logout":                   {"", everybodys},
	"GET /ui/login/issuer":              {"", everybodys},
	"GET /ui/callback":                  {"", everybodys},

	// What no route is takes somebody who may do something.
	"GET /nowhere":   {"viewer", everybodys},
	"PATCH /oc/{id}": {"viewer", everybodys},
	"POST /livez":    {"viewer", everybodys},
	"OPTIONS /oc":    {"viewer", everybodys},
	"GET /ui/*":      {"viewer", everybodys},
	"POST /ui/*":     {"viewer", everybodys},
}

// estate is one thing of each kind that hangs on a workflow, by the first part of its path.
type estate map[string]string

// estateOf makes what can hang on a workflow of a group.
func (s *site) estateOf(t *testing.T, workflowID, group string) estate {
	t.Helper()
	admin := []string{"Authorization", s.as(t, access.Admin)}
	s.do(t, http.MethodPut, "/oc/"+workflowID+"?group="+group, sampleWorkflow(workflowID, 1), admin...).ok(t, http.StatusCreated)
	made := func(kind, body string) string {
		t.Helper()
		return fmt.Sprint(s.do(t, http.MethodPost, "/oc/"+workflowID+"/"+kind, body, admin...).ok(t, http.StatusCreated).json(t)["id"])
	}
	e := estate{
		"workflows": workflowID, "schedules": made("schedules", bodies["schedules"]), "holds": made("holds", bodies["holds"]),
		"runs": made("runs", bodies["runs"]), "executions": "x-" + workflowID,
	}
	of := execution.Of{RunID: e["runs"], ItemID: "n1", Attempt: 1}
	if _, err := s.store.Executions.Create(t.Context(), execution.Execution{
		ExecutionID: e["executions"], NodeID: "n", BookingID: "oc-1", State: execution.Cancelled, WorkflowID: workflowID, Of: of,
	}); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the execution is shown", func() bool { _, shown := s.parts.Executions.Get(e["executions"]); return shown })
	return e
}

// bodies are what is sent, by the last part of a path.
var bodies = map[string]string{
	"schedules": `{` + window + `}`, "holds": `{` + window + `,"ttl_s":900}`, "runs": `{` + window + `}`, "preview": `{` + window + `}`,
	"check": `{` + window + `}`,
}

// path is where a route finds a thing of the estate; "nothing" stands for all that is not in there.
func (e estate) path(route string) (method, path, kind string) {
	method, path, _ = strings.Cut(route, " ")
	kind, _, _ = strings.Cut(strings.Trim(strings.TrimPrefix(path, "/ui"), "/"), "/")
	if kind == "oc" {
		kind = "workflows"
	}
	about := e[kind]
	if kind == "peers" || kind == "planners" {
		about = "peer-a"
	}
	return method, strings.NewReplacer("{id}", cmp.Or(about, "nothing"), "{peer}", about, "{name}", "nothing").Replace(path), kind
}

// asked is how a route is asked about a thing of an estate.
func (e estate) asked(route string) (method, path, body string, header []string) {
	method, path, kind := e.path(route)
	body = bodies[route[strings.LastIndexByte(route, '/')+1:]]
	switch {
	case strings.HasPrefix(path, "/ui/"):
		body = "start=" + on(0) + "T09:00:00Z&duration=1h&ttl_s=900"
	case method == http.MethodPut:
		body, header = sampleWorkflow(cmp.Or(e[kind], "nothing"), 1), []string{"If-Match", `"999999999"`} // so that nothing is made of it
	case method == http.MethodPost && kind == "tokens":
		body = `{"name":"n","role":"viewer"}`
	}
	return method, path, body, header
}

// tried is the answer of a route about a thing of an estate.
func (s *site) tried(t *testing.T, route string, of estate, bearer string, header ...string) answer {
	t.Helper()
	method, path, body, more := of.asked(route)
	header = append(header, append(more, "Authorization", bearer)...)
	if strings.HasSuffix(path, "/events") {
		return s.first(t, path, header...)
	}
	return s.do(t, method, path, body, header...)
}

// TestEveryRouteForEveryGroup tries each route with each role, about what belongs to an own and to a foreign group, by
// credentials that are valid and by such as are not.
// What is another's is absent: it is answered as what does not exist, and no other answer has a word of it.
func TestEveryRouteForEveryGroup(t *testing.T) {
	t.Parallel()
	cfg, real := vouched(t)
	s := newSite(t, cfg)
	s.staying()
	s.plan(t, "peer-a", 60)
	natstest.Eventually(t, "the planner is in view", func() bool { return s.parts.Planners.Len() == 1 })
	own, foreign, third := s.estateOf(t, "w-own", "group-own"), s.estateOf(t, "w-foreign", "group-foreign"), s.estateOf(t, "w-third", "group-third")
	kept := s.everything(t)
	s.keptFromNobody(t, real, own, foreign)
	s.keptFromOthers(t, foreign)
	if left := s.everything(t); left != kept {
		t.Errorf("what was there is\n%s, was\n%s", left, kept)
	}
	s.keptFromOthers(t, s.removed(t, s.estateOf(t, "w-gone", "group-foreign")))
	for _, c := range []struct {
		role access.Role
		of   estate
	}{{access.Viewer, own}, {access.User, own}, {access.Operator, foreign}, {access.Admin, third}} {
		bearer := s.as(t, c.role, "group-own")
		for _, route := range inOrder(s.Served()) {
			is := decided[route]
			least, _ := access.ParseRole(is.least)
			if c.role < least || is.reach == everybodys {
				continue
			}
			a := s.tried(t, route, c.of, bearer, lasting(route)...)
			if slices.Contains([]int{401, 403, 404, 500}, a.status) {
				t.Errorf("%s of %s as %v: %d %s", route, c.of["workflows"], c.role, a.status, a.body)
			}
			if c.role < access.Operator {
				foreign.silent(t, fmt.Sprint(route, " as ", c.role), a)
			}
			if is.reach == listed && !slices.ContainsFunc(slices.Collect(maps.Values(c.of)), func(id string) bool { return strings.Contains(string(a.body), id) }) {
				t.Errorf("%s as %v lists nothing of %v: %s", route, c.role, c.of, a.body)
			}
		}
	}
}

// keptFromOthers tries each route about what belongs to a foreign group.
func (s *site) keptFromOthers(t *testing.T, foreign estate) {
	t.Helper()
	for _, role := range []access.Role{access.Viewer, access.User} {
		bearer := s.as(t, role, "group-own")
		for _, route := range s.Served() {
			if _, _, kind := foreign.path(route); kind == "workflows" && foreign[kind] == "" {
				continue
			}
			is := decided[route]
			least, _ := access.ParseRole(is.least)
			tried := func(of estate) answer {
				t.Helper()
				began := time.Now()
				a := s.tried(t, route, of, bearer)
				if took := time.Since(began); is.least != "" && a.status == http.StatusNotFound && took < httpapi.EvenStep {
					t.Errorf("%s as %v: that %v is not there is told after %v", route, role, of, took)
				}
				return a
			}
			theirs, none, never := tried(foreign), tried(estate{}), tried(foreign.never())
			switch {
			case role < least:
				for _, a := range []answer{theirs, none, never} {
					if a.status != http.StatusForbidden {
						t.Errorf("%s as %v: %d %s", route, role, a.status, a.body)
					}
				}
			case is.reach == hidden:
				absent(t, fmt.Sprint(route, " as ", role), theirs, none)
				if _, _, kind := foreign.path(route); foreign.never()[kind] != "" {
					absent(t, fmt.Sprint(route, " as ", role, ", of what never was"), never, theirs)
				}
				if strings.HasPrefix(route, "GET /ui/") {
					_, path, _ := foreign.path(route)
					absent(t, fmt.Sprint("the live part of ", path), s.refused(t, path, http.Header{"Authorization": {bearer}}, "oc.page.v1"), answer{})
				}
			}
			for _, a := range []answer{theirs, none} {
				foreign.silent(t, fmt.Sprint(route, " as ", role), a)
			}
		}
	}
}

// never are ids such as those of an estate, of what has never been there.
func (e estate) never() estate {
	never := estate{}
	for kind, of := range map[string]schedule.Prefix{"schedules": schedule.OfSchedule, "holds": schedule.OfHold, "runs": schedule.OfRun} {
		never[kind] = schedule.NewID(of, schedule.MadeAt(e[kind]), [9]byte{1})
	}
	return never
}

// removed is what is left of an estate when its workflow is removed: that stays with the groups.
func (s *site) removed(t *testing.T, e estate) (left estate) {
	t.Helper()
	s.do(t, http.MethodDelete, "/oc/"+e["workflows"], "", "Authorization", s.as(t, access.Admin)).ok(t, http.StatusNoContent)
	natstest.Eventually(t, "its schedule has ended", func() bool {
		return s.do(t, http.MethodGet, "/schedules/"+e["schedules"], "", "Authorization", s.as(t, access.Admin)).json(t)["state"] != "active"
	})
	left = maps.Clone(e)
	delete(left, "workflows")
	return left
}

// absent holds an answer to be that to what does not exist.
func absent(t *testing.T, what string, a, none answer) {
	t.Helper()
	if a.status != http.StatusNotFound {
		t.Errorf("%s: what is another's is answered with %d %s", what, a.status, a.body)
	}
	if isPage := strings.Contains(a.header.Get("Content-Type"), "html"); none.status == http.StatusNotFound && !isPage && string(a.body) != string(none.body) {
		t.Errorf("%s: %s tells of what %s does not", what, a.body, none.body)
	}
}

// silent holds an answer to have no word of an estate.
func (e estate) silent(t *testing.T, what string, a answer) {
	t.Helper()
	head, err := json.Marshal(a.header)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range e {
		if text := string(head) + string(a.body); strings.Contains(text, id) || strings.Contains(text, "group-foreign") {
			t.Errorf("%s: the answer tells of %s: %d %s", what, id, a.status, text)
		}
	}
}

// everything is all that belongs to groups, as an administrator sees it.
func (s *site) everything(t *testing.T) (all string) {
	t.Helper()
	for _, list := range []string{"/oc", "/schedules", "/runs", "/executions"} {
		all += string(s.do(t, http.MethodGet, list, "", "Authorization", s.as(t, access.Admin)).ok(t, http.StatusOK).body)
	}
	return all
}

// inOrder has what ends things after what needs them.
func inOrder(routes []string) []string {
	rank := func(route string) int {
		method, path, _ := strings.Cut(route, " ")
		switch {
		case method == http.MethodDelete:
			return 3
		case method == http.MethodPost && (strings.HasSuffix(path, "/cancel") || strings.HasSuffix(path, "/release")):
			return 2
		case strings.HasSuffix(path, "/confirm"):
			return 1
		}
		return 0
	}
	return slices.SortedStableFunc(slices.Values(routes), func(a, b string) int { return rank(a) - rank(b) })
}

// lasting has a workflow stay for those who come after, though it may be removed.
func lasting(route string) []string {
	if route == "DELETE /oc/{id}" {
		return []string{"If-Match", `"999999999"`}
	}
	return nil
}
