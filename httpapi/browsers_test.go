package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"oc-scheduler/httpapi"
	"oc-scheduler/httpapi/carry"
	"oc-scheduler/internal/natstest"
)

// TestABrowserHearsWhyItIsRefused holds that a script, which is told nothing of an answer to its handshake, is told by the
// close frame.
func TestABrowserHearsWhyItIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, httpapi.Config{AllowOrigins: []string{"https://app.example"}, Streams: carry.Config{MaxStreamsPerClient: 1}})
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	bare := newBareSite(t, defaults)
	refused := func(at *site, path, origin string, code websocket.StatusCode, words string) {
		t.Helper()
		if reason := at.closes(t, code, path, http.Header{"Origin": {origin}}, "oc.check.v1"); !strings.Contains(reason, words) {
			t.Errorf("%s of %s: %q", path, origin, reason)
		}
	}
	const app = "https://app.example"
	refused(s, "/oc/w/check"+inDecember, "https://evil.example", 4403, "origin")
	refused(s, "/oc/unknown/check", app, 4404, "no such workflow")
	refused(s, "/oc//check", app, 4400, "")
	refused(s, "/oc/w/check?start=soon", s.url, 4422, "$.start")
	refused(s, "/oc/w/check?"+strings.Repeat("ä", 200), app, 4422, "ää")
	refused(s, "/nix", app, 4404, "no such route")
	refused(bare, "/oc/w/check", bare.url, websocket.StatusTryAgainLater, "starting")
	s.dial(t, "/oc/w/check", nil)
	refused(s, "/oc/w/check"+inDecember, app, 4429, "one client may have 1 streams")
	s.refused(t, "/oc/unknown/check", http.Header{"Origin": {app}}).problem(t, http.StatusNotFound) // it would not understand
}

// closes holds that a WebSocket is closed at once.
func (s *site) closes(t *testing.T, code websocket.StatusCode, path string, header http.Header, protocols ...string) (reason string) {
	t.Helper()
	got, reason := closed(t, s.dial(t, path, &websocket.DialOptions{HTTPHeader: header, Subprotocols: protocols}))
	if got != code {
		t.Errorf("%s: closed with %d %q", path, got, reason)
	}
	return reason
}

// TestFewAreToldWhyTheyAreRefused at a time: those who do not take leave hold no more than a few connections.
func TestFewAreToldWhyTheyAreRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	refused := func() (rawSocket, int) {
		return s.shakeRaw(t, "/oc/unknown/check", nil, "Origin: http://localhost", "Sec-WebSocket-Protocol: oc.check.v1")
	}
	var held []rawSocket
	for range 16 {
		raw, status := refused()
		if status != http.StatusSwitchingProtocols {
			t.Fatalf("number %d is answered %d", len(held)+1, status)
		}
		held = append(held, raw)
	}
	if _, status := refused(); status != http.StatusNotFound {
		t.Errorf("one more is answered %d", status)
	}
	if n := s.Streams(); n != 0 {
		t.Errorf("%d of them are streams", n)
	}
	if err := held[0].Close(); err != nil {
		t.Error(err)
	}
	natstest.Eventually(t, "there is room for another", func() bool {
		_, status := refused()
		return status == http.StatusSwitchingProtocols
	})
}

// TestAnEventStreamWaitsForTheStart of a replica, which a browser would take for the end.
func TestAnEventStreamWaitsForTheStart(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	bare := newBareSite(t, httpapi.Config{Streams: carry.Config{CommentEvery: 20 * time.Millisecond}})
	waiting, unknown := bare.listen(t, "/oc/w/check"+inDecember), bare.listen(t, "/oc/unknown/check"+inDecember)
	for range 3 {
		if v := waiting.must(t); v != (event{}) {
			t.Fatalf("before there is anything: %+v", v)
		}
	}
	bare.do(t, http.MethodGet, "/oc/w/check"+inDecember, "").problem(t, http.StatusServiceUnavailable)
	bare.Attach(s.parts)
	first := func(es *events) (v event) {
		for v == (event{}) {
			v = es.must(t)
		}
		return v
	}
	if v := first(waiting); v.name != "result" || decode(t, []byte(v.data))["workflow_id"] != "w" {
		t.Errorf("%+v", v)
	}
	if v := first(unknown); v.name != "error" || decode(t, []byte(v.data))["status"] != 404.0 {
		t.Errorf("%+v", v)
	}
	if _, err := unknown.next(); err == nil {
		t.Error("it goes on")
	}
	s.plan(t, "peer-a", 64)
	for v := first(waiting); decode(t, []byte(v.data))["status"] != "available"; v = first(waiting) {
	}
}

// TestAWaitingEventStreamDrains as others do.
func TestAWaitingEventStreamDrains(t *testing.T) {
	t.Parallel()
	bare := newBareSite(t, defaults)
	es := bare.listen(t, "/oc/w/check"+inDecember)
	es.must(t)
	if err := bare.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	for v, err := es.next(); err == nil; v, err = es.next() {
		if v != (event{}) {
			t.Errorf("%+v", v)
		}
	}
	bare.comesAgain(t, "/oc/w/check"+inDecember)
}

// TestRate holds that a client which asks for few frames gets few, and the newest.
func TestRate(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	conn := s.dial(t, "/oc/w/check"+inDecember+"&rate=5", nil)
	begin := time.Now()
	for i := range 40 {
		s.plan(t, "peer-a", 20+i)
	}
	natstest.Eventually(t, "the newest is in view", func() bool {
		return strings.Contains(string(s.do(t, http.MethodGet, "/planners/peer-a", "").body), `"cores":5}`)
	})
	newest := decode(t, s.do(t, http.MethodGet, "/oc/w/check"+inDecember, "").body)["version"]
	for n := 1; ; n++ {
		r := receive(t, conn)
		if most := 2 + int(time.Since(begin)/(200*time.Millisecond)); n > most {
			t.Fatalf("%d frames, at most %d", n, most)
		}
		if r["version"] == newest {
			break
		}
	}
	send(t, conn, `{"start":"2026-12-02T09:00:00Z","duration_s":60}`)
	if r := receive(t, conn); r["start"] != "2026-12-02T09:00:00Z" {
		t.Errorf("%v", r)
	}
	silent := s.dial(t, "/oc/w/check?rate=1000", nil)
	send(t, silent, `{"start":"2026-12-02T09:00:00Z","duration_s":60}`)
	receive(t, silent)
	for _, faulty := range []string{"0", "1001", "NaN", "fast", "", "1&rate=2"} {
		query := "&rate=" + faulty
		if faulty == "" {
			query = "&rates=1"
		}
		s.do(t, http.MethodGet, "/oc/w/check"+inDecember+query, "", "Accept", "text/event-stream").problem(t, http.StatusUnprocessableEntity)
		s.refused(t, "/oc/w/check"+inDecember+query, nil).problem(t, http.StatusUnprocessableEntity)
	}
	s.do(t, http.MethodGet, "/oc/w/check"+inDecember+"&rate=1", "").problem(t, http.StatusUnprocessableEntity) // of no stream
}

// TestEventStreamsSayWhenToComeAgain once.
func TestEventStreamsSayWhenToComeAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	es := s.listen(t, "/oc/w/check"+inDecember)
	line, err := es.lines.ReadString('\n')
	if err != nil || line != "retry: 2000\n" {
		t.Errorf("%q, %v", line, err)
	}
	es.must(t)
	s.plan(t, "peer-a", 64)
	if line, err = es.lines.ReadString('\n'); err != nil || line != "event: result\n" {
		t.Errorf("%q, %v", line, err)
	}
}
