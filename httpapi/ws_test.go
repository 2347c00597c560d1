package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"oc-scheduler/httpapi"
	"oc-scheduler/httpapi/carry"
)

const inDecember = "?start=2026-12-01T09:00:00Z&duration=1h"

func TestCheckStream(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	conn := s.dial(t, "/oc/w/check"+inDecember, nil)
	if conn.Subprotocol() != "oc.check.v1" {
		t.Errorf("subprotocol is %q", conn.Subprotocol())
	}
	if r := receive(t, conn); r["type"] != "result" || r["status"] != "unknown" {
		t.Fatalf("first frame is %v", r)
	}
	s.plan(t, "peer-a", 64)
	until(t, conn, "available")
	s.plan(t, "peer-a", 7)
	until(t, conn, "unavailable")
	s.put(t, "w", 7).ok(t, http.StatusOK) // needs less now
	until(t, conn, "available")

	send(t, conn, `{"duration_s":0}`)
	if e := receive(t, conn); e["type"] != "error" || e["status"] != 422.0 || len(e["errors"].([]any)) != 1 {
		t.Fatalf("a faulty request gives %v", e)
	}
	send(t, conn, `{"start":"2026-12-02T09:00:00Z","duration_s":60}`)
	if r := receive(t, conn); r["start"] != "2026-12-02T09:00:00Z" {
		t.Fatalf("the new request gives %v", r)
	}
	s.do(t, http.MethodDelete, "/oc/w", "").ok(t, http.StatusNoContent)
	if e := receive(t, conn); e["type"] != "error" || e["status"] != 404.0 {
		t.Errorf("a removed workflow gives %v", e)
	}
	if code, _ := closed(t, conn); code != 4404 {
		t.Errorf("code is %d", code)
	}
	s.counts(t, "oc_scheduler_streams_closed_total", closedTotal("websocket", "4404", 1))
}

// until reads until a frame of a status comes.
func until(t *testing.T, conn *websocket.Conn, status string) map[string]any {
	t.Helper()
	for {
		if r := receive(t, conn); r["status"] == status {
			return r
		}
	}
}

func closedTotal(carrier, code string, n int) string {
	return fmt.Sprintf(`
# HELP oc_scheduler_streams_closed_total Streams that ended, by close code, or slow and no_pong for clients cut without one.
# TYPE oc_scheduler_streams_closed_total counter
oc_scheduler_streams_closed_total{carrier=%q,code=%q} %d
`, carrier, code, n)
}

func TestRequestAsFirstMessage(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	conn := s.dial(t, "/oc/w/check", &websocket.DialOptions{}) // offers no subprotocol
	send(t, conn, `{"booking_mode":"later"}`)
	if e := receive(t, conn); e["status"] != 422.0 {
		t.Errorf("first is %v", e)
	}
	send(t, conn, `{"duration_s":60}`)
	if r := receive(t, conn); r["type"] != "result" {
		t.Errorf("then comes %v", r)
	}
	if err := conn.Close(websocket.StatusNormalClosure, "bye"); err != nil {
		t.Error(err)
	}
	s.counts(t, "oc_scheduler_streams_closed_total", closedTotal("websocket", "1000", 1))
}

func TestCloseCodes(t *testing.T) {
	t.Parallel()
	s := newSite(t, httpapi.Config{Streams: carry.Config{FirstMessage: 100 * time.Millisecond}})
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	silent := s.dial(t, "/oc/w/check", nil)
	if code, reason := closed(t, silent); code != 4400 || reason != "no request came in time" {
		t.Errorf("silence: %d %s", code, reason)
	}
	for message, want := range map[string]websocket.StatusCode{
		"hello":                       4400,
		`{"duration_s":60} trailing`:  4400,
		"":                            4400,
		"\xff":                        4400,
		strings.Repeat(" ", 64<<10+1): websocket.StatusMessageTooBig,
	} {
		conn := s.dial(t, "/oc/w/check"+inDecember, nil)
		send(t, conn, message)
		if code, _ := closed(t, conn); code != want {
			t.Errorf("%.10q: %d, want %d", message, code, want)
		}
	}
	conn := s.dial(t, "/oc/w/check"+inDecember, nil)
	send(t, conn, strings.Repeat(" ", 64<<10-len(`{"duration_s":60}`))+`{"duration_s":60}`) // exactly the limit
	receive(t, conn)
}

func TestRefusedBeforeTheUpgrade(t *testing.T) {
	t.Parallel()
	s := newSite(t, httpapi.Config{AllowOrigins: []string{"https://app.example"}, Streams: carry.Config{MaxStreamsPerClient: 1}})
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	foreign := http.Header{"Origin": {"https://evil.example"}}
	for name, c := range map[string]struct {
		path      string
		header    http.Header
		protocols []string
		status    int
	}{
		"foreign origin":   {"/oc/w/check" + inDecember, foreign, nil, http.StatusForbidden},
		"unknown workflow": {"/oc/unknown/check", nil, nil, http.StatusNotFound},
		"and with a query": {"/oc/unknown/check" + inDecember, nil, nil, http.StatusNotFound},
		"bad id":           {"/oc//check", nil, nil, http.StatusBadRequest},
		"other protocols":  {"/oc/w/check", nil, []string{"mqtt", "oc.check.v2"}, http.StatusBadRequest},
		"faulty query":     {"/oc/w/check?start=soon", nil, nil, http.StatusUnprocessableEntity},
		"no duration":      {"/oc/w/check?start=2026-12-01T09:00:00Z", nil, nil, http.StatusUnprocessableEntity},
		"too far ahead":    {"/oc/w/check?start=2200-12-01T09:00:00Z&duration=1h", nil, nil, http.StatusUnprocessableEntity},
	} {
		a := s.refused(t, c.path, c.header, c.protocols...)
		if a.status != c.status {
			t.Errorf("%s: %d", name, a.status)
		}
		a.problem(t, c.status)
	}
	s.dial(t, "/oc/w/check", &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {"https://app.example"}}, Subprotocols: []string{"mqtt", "oc.check.v1"}})
	a := s.refused(t, "/oc/w/check"+inDecember, nil)
	a.problem(t, http.StatusTooManyRequests)
	if a.header.Get("Retry-After") == "" {
		t.Error("429 without Retry-After")
	}
	s.refused(t, "/oc/w/check"+inDecember, http.Header{"X-Forwarded-For": {"192.0.2.9"}, "X-Real-Ip": {"192.0.2.9"}}).
		problem(t, http.StatusTooManyRequests) // anybody can write that
	a = s.do(t, http.MethodGet, "/oc/w/check"+inDecember, "", "Accept", "text/event-stream")
	a.problem(t, http.StatusTooManyRequests)
	a = s.do(t, http.MethodPost, "/oc/w/check?wait=1s", `{"duration_s":60}`)
	a.problem(t, http.StatusTooManyRequests)
	s.do(t, http.MethodPost, "/oc/w/check", `{"duration_s":60}`).ok(t, http.StatusOK)
}

func TestBrokenHandshakesAreProblems(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	upgrade := []string{"Connection", "keep-alive, Upgrade", "Upgrade", "websocket"}
	for name, extra := range map[string][]string{
		"no version":  {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="},
		"old version": {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version", "8"},
		"no key":      {"Sec-WebSocket-Version", "13"},
		"bad key":     {"Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "short"},
	} {
		a := s.do(t, http.MethodGet, "/oc/w/check"+inDecember, "", append(extra, upgrade...)...)
		if p := a.problem(t, http.StatusBadRequest); !strings.Contains(p["detail"].(string), "WebSocket") {
			t.Errorf("%s: %v", name, p)
		}
	}
	// A header of the upgrade alone makes no upgrade: the plain answer comes.
	s.do(t, http.MethodGet, "/oc/w/check"+inDecember, "", "Upgrade", "websocket").ok(t, http.StatusOK)
	s.counts(t, "oc_scheduler_streams_open", "")
}

func TestManyStreamsComeAndGo(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	done := make(chan error)
	for range 50 {
		go func() {
			conn, err := s.connect(t.Context(), "/oc/w/check"+inDecember, nil)
			if err == nil {
				_, _, err = conn.Read(t.Context())
				_ = conn.CloseNow() // without goodbye
			}
			done <- err
		}()
	}
	for free := range 50 { // planners change all the while
		s.plan(t, "peer-a", free)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	s.counts(t, "oc_scheduler_streams_open", `
# HELP oc_scheduler_streams_open Streams open now, of answers and of output.
# TYPE oc_scheduler_streams_open gauge
oc_scheduler_streams_open{carrier="websocket"} 0
`)
}

func TestNotifyLatencyIsThatOfPlannerChangesAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	s.plan(t, "peer-a", 64)
	conn := s.dial(t, "/oc/w/check"+inDecember, nil)
	until(t, conn, "available")
	before := s.latencies(t)
	send(t, conn, `{"start":"2026-12-02T09:00:00Z","duration_s":60}`)
	receive(t, conn)
	if n := s.latencies(t); n != before {
		t.Errorf("an answer to a request counts: %d, then %d", before, n)
	}
	s.plan(t, "peer-a", 7)
	until(t, conn, "unavailable")
	for deadline := time.Now().Add(patience); s.latencies(t) != before+1; pause(t) {
		if time.Now().After(deadline) {
			t.Fatalf("a planner's change counts from %d to %d", before, s.latencies(t))
		}
	}
}

// latencies is how many notify latencies were measured.
func (s *site) latencies(t *testing.T) uint64 {
	t.Helper()
	families, err := s.reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "oc_scheduler_notify_latency_seconds" {
			return f.GetMetric()[0].GetHistogram().GetSampleCount()
		}
	}
	t.Fatal("no such metric")
	return 0
}
