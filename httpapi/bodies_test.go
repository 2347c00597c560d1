package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"oc-scheduler/store"
)

// faultsAt are the places of what is wrong with a request.
func (a answer) faultsAt(t *testing.T) string {
	t.Helper()
	var paths []string
	for _, f := range a.problem(t, http.StatusUnprocessableEntity)["errors"].([]any) {
		paths = append(paths, f.(map[string]any)["path"].(string))
	}
	return strings.Join(paths, " ")
}

// TestBodiesAreReadAlike: what is ambiguous is refused by every route that reads a body, with its place.
func TestBodiesAreReadAlike(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 1).ok(t, http.StatusCreated)
	s.enrol(t, "n", store.Approved)
	for _, route := range []struct{ method, path, member string }{
		{http.MethodPut, "/oc/w", `"graph":{},"id"`},
		{http.MethodPost, "/oc/w/check", `"booking_mode"`},
		{http.MethodPost, "/nodes/n/executions", `"command":["a"],"workflow_id"`},
		{http.MethodPost, "/executions/x/cancel", `"reason"`},
	} {
		name := route.member[strings.LastIndex(route.member, ",")+1:]
		path := "$." + strings.Trim(name, `"`)
		for _, value := range []string{`"\ud800"`, "\"\xff\"", `"w",` + name + `:"w"`, `7`} {
			got := s.do(t, route.method, route.path, "{"+route.member+":"+value+"}").faultsAt(t)
			if !strings.HasPrefix(got, path) {
				t.Errorf("%s %s of %s: faults at %q", route.method, route.path, value, got)
			}
		}
		for _, coding := range []string{"gzip", "br", "identity, gzip", "x-unheard-of"} {
			a := s.do(t, route.method, route.path, "\x1f\x8b\x08", "Content-Encoding", coding)
			if p := a.problem(t, http.StatusUnsupportedMediaType); !strings.Contains(p["detail"].(string), coding) || a.header.Get("Accept-Encoding") != "identity" {
				t.Errorf("%s: %v", coding, p)
			}
		}
		s.do(t, route.method, route.path, "\x1f\x8b\x08", "Content-Encoding", "Identity").problem(t, http.StatusBadRequest)
		for _, body := range []string{"[", "{} {}", "{'a':1}", "\ufeff{}"} {
			s.do(t, route.method, route.path, body).problem(t, http.StatusBadRequest)
		}
	}
}

// TestAllFaultsOfARequest are told at once, wherever they stand.
func TestAllFaultsOfARequest(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 1).ok(t, http.StatusCreated)
	for request, want := range map[string]string{
		`PUT /oc/w {"id":"other","graph":{"items":{"a":{}},"links":7}}`:                  "$.id $.graph.items.a $.graph.links",
		`PUT /oc/typo {"id":"typo","grahp":{}}`:                                          "$.graph",
		`PUT /oc/typo {"graph":null}`:                                                    "$.id $.graph",
		`POST /oc/w/check?wait=soon&duration=1h {"strat":1,"end":"2026-12-01T9:00:00Z"}`: "$.strat $.end $.duration $.wait",
		`POST /oc/w/check?wait=1s&wait=2s {"preemption":1}`:                              "$.preemption $.wait",
		`GET /oc/w/check?wait=%2B1s&start=now&duration_s=1_000 `:                         "$.wait $.duration_s $.start",
		`POST /executions/x/cancel {"Reason":"a","reason":1}`:                            "$.Reason $.reason",
		`GET /oc?limit=010&cursor=%21&page=2 `:                                           "$.page $.limit $.cursor",
		`GET /planners?limit=0x10 `:                                                      "$.limit",
		`GET /nodes?limit=%2B1 `:                                                         "$.limit",
		`GET /executions?limit=1&limit=2 `:                                               "$.limit",
		`GET /executions/x/logs?follow=maybe&tail=-1&since=1h `:                          "$.since $.follow $.tail",
	} {
		method, rest, _ := strings.Cut(request, " ")
		path, body, _ := strings.Cut(rest, " ")
		if got := s.do(t, method, path, body).faultsAt(t); got != want {
			t.Errorf("%s: faults at %q, want %q", request, got, want)
		}
	}
}
