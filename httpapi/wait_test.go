package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"oc-scheduler/httpapi"
	"oc-scheduler/internal/natstest"
)

const asked = `{"start":"2026-12-01T09:00:00Z","duration_s":3600}`

func TestOneResult(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	posted := s.do(t, http.MethodPost, "/oc/w/check", asked).ok(t, http.StatusOK)
	got := s.do(t, http.MethodGet, "/oc/w/check"+inDecember, "").ok(t, http.StatusOK)
	version := `"` + got.json(t)["version"].(string) + `"`
	if got.header.Get("ETag") != version || posted.header.Get("ETag") != version {
		t.Errorf("tags %s and %s of version %s", got.header.Get("ETag"), posted.header.Get("ETag"), version)
	}
	same := s.do(t, http.MethodGet, "/oc/w/check"+inDecember, "", "If-None-Match", `"other", W/`+version).ok(t, http.StatusNotModified)
	if len(same.body) > 0 || same.header.Get("ETag") != version {
		t.Errorf("304 is %v %s", same.header, same.body)
	}
	if requested := s.bus.seen(); len(requested) > 1 {
		t.Errorf("asking once requests %v", requested) // the PUT may: nobody had the planner
	}
}

func TestParametersThatHaveNoEffectAreRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	problem := s.do(t, http.MethodPost, "/oc/w/check?start=2026-12-01T09:00:00Z&wait=1ms", asked).problem(t, http.StatusUnprocessableEntity)
	if !strings.Contains(fmt.Sprint(problem), "$.start") {
		t.Errorf("%v", problem)
	}
}

func TestWaitingForAMissingPlanner(t *testing.T) {
	t.Parallel()
	s := newSite(t, httpapi.Config{WriteTimeout: 200 * time.Millisecond, ReadTimeout: 200 * time.Millisecond})
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	for method, target := range map[string]string{http.MethodPost: "?wait=400ms", http.MethodGet: inDecember + "&wait=400ms"} {
		late := s.do(t, method, "/oc/w/check"+target, asked).ok(t, http.StatusOK) // longer than the server's timeouts
		if r := late.json(t); r["status"] != "unknown" || len(r["missing_planners"].([]any)) != 1 {
			t.Errorf("%s at the deadline: %v", method, r)
		}
	}
	answered := make(chan answer)
	go func() { answered <- s.do(t, http.MethodPost, "/oc/w/check?wait=15s", asked) }()
	s.counts(t, "oc_scheduler_streams_open", `
# HELP oc_scheduler_streams_open Streams open now, of answers and of output.
# TYPE oc_scheduler_streams_open gauge
oc_scheduler_streams_open{carrier="wait"} 1
`)
	for {
		// As a peer does, more than once: the end of the first watch may take a planner away that comes
		// just then.
		s.plan(t, "peer-a", 64)
		select {
		case a := <-answered:
			if r := a.ok(t, http.StatusOK).json(t); r["status"] != "available" {
				t.Errorf("the planner came: %v", r)
			}
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func TestWaitIsCutToItsMaximum(t *testing.T) {
	t.Parallel()
	s := newSite(t, httpapi.Config{MaxWait: 50 * time.Millisecond})
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	s.do(t, http.MethodPost, "/oc/w/check?wait=100h", asked).ok(t, http.StatusOK)
}

func TestPages(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	if got := s.do(t, http.MethodGet, "/oc", "").ok(t, http.StatusOK); string(got.body) != `{"items":[],"next_cursor":null}`+"\n" {
		t.Errorf("no workflows are %s", got.body)
	}
	for _, id := range []string{"c", "a", "e", "b", "d"} {
		s.put(t, id, 1).ok(t, http.StatusCreated)
		s.plan(t, "peer-"+id, 1)
		natstest.Eventually(t, "the planner is in view", func() bool { _, ok := s.parts.Planners.Get("peer-" + id); return ok })
	}
	for path, key := range map[string]string{"/oc": "id", "/planners": "peer_id"} {
		var ids string
		for cursor, pages := "", 0; pages == 0 || cursor != ""; pages++ {
			got := s.do(t, http.MethodGet, path+"?limit=2&cursor="+cursor, "").ok(t, http.StatusOK).json(t)
			for _, item := range got["items"].([]any) {
				id := item.(map[string]any)[key].(string)
				ids += id[len(id)-1:]
			}
			cursor, _ = got["next_cursor"].(string)
			if pages > 3 {
				t.Fatal("the pages don't end")
			}
		}
		if ids != "abcde" {
			t.Errorf("%s: pages give %s", path, ids)
		}
	}
	for _, query := range []string{"limit=0", "limit=1001", "limit=x", "cursor=%25", "cursor=AA", "limit=%zz"} {
		s.do(t, http.MethodGet, "/oc?"+query, "").problem(t, http.StatusUnprocessableEntity)
	}
	s.do(t, http.MethodGet, "/planners?limit=1000", "").ok(t, http.StatusOK)
}

func TestStoredPlanner(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.plan(t, "peer-a", 5)
	got := s.do(t, http.MethodGet, "/planners/peer-a", "").ok(t, http.StatusOK)
	if p := got.json(t); p["peer_id"] != "peer-a" || p["expires_at"] == nil || p["capacities"] == nil {
		t.Errorf("stored is %s", got.body)
	}
	s.do(t, http.MethodGet, "/planners/peer-a", "", "If-None-Match", got.header.Get("ETag")).ok(t, http.StatusNotModified)
}

func TestPagesOfLargeWorkflowsAreShort(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		large := strings.Replace(sampleWorkflow(id, 1), "align reads", strings.Repeat("x", 900<<10), 1)
		s.do(t, http.MethodPut, "/oc/"+id, large).ok(t, http.StatusCreated)
	}
	first := s.do(t, http.MethodGet, "/oc", "").ok(t, http.StatusOK).json(t)
	rest := s.do(t, http.MethodGet, "/oc?cursor="+first["next_cursor"].(string), "").ok(t, http.StatusOK).json(t)
	if n, m := len(first["items"].([]any)), len(rest["items"].([]any)); n != 5 || m != 1 || rest["next_cursor"] != nil {
		t.Errorf("pages of %d and %d", n, m)
	}
}

// TestAForeignPageAsksNoPeers: a browser gets what a page of anybody shows as an image, say, and tells of no origin then.
func TestAForeignPageAsksNoPeers(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	const path = "/oc/w/check" + inDecember
	for _, from := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}} {
		s.do(t, http.MethodGet, path+"&wait=1ms", "", from...).problem(t, http.StatusForbidden)
		s.do(t, http.MethodGet, path, "", append([]string{"Accept", "text/event-stream"}, from...)...).problem(t, http.StatusForbidden)
		s.refused(t, path, http.Header{from[0]: {from[1]}}).problem(t, http.StatusForbidden)
		s.do(t, http.MethodGet, path, "", from...).ok(t, http.StatusOK) // which asks nobody
	}
	for _, from := range []string{"same-origin", "none"} {
		s.do(t, http.MethodGet, path+"&wait=1ms", "", "Sec-Fetch-Site", from).ok(t, http.StatusOK)
	}
}
