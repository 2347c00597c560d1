package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"

	"oc-scheduler/httpapi"
	"oc-scheduler/httpapi/carry"
)

func TestDrain(t *testing.T) {
	t.Parallel()
	const sockets, listeners = 30, 5
	s := newSite(t, httpapi.Config{Streams: carry.Config{DrainSpread: 200 * time.Millisecond}})
	s.put(t, "w", 8).ok(t, http.StatusCreated)
	codes := make(chan websocket.StatusCode, sockets)
	for range sockets {
		conn := s.dial(t, "/oc/w/check"+inDecember, nil)
		receive(t, conn)
		go func() {
			code, reason := closed(t, conn)
			if reason != "restart" {
				t.Errorf("reason is %q", reason)
			}
			codes <- code
		}()
	}
	ends := make(chan error, listeners)
	for range listeners {
		es := s.listen(t, "/oc/w/check"+inDecember)
		es.must(t)
		go func() {
			_, err := es.next()
			ends <- err
		}()
	}
	waiting := make(chan answer)
	go func() { waiting <- s.do(t, http.MethodPost, "/oc/w/check?wait=15s", asked) }()
	s.counts(t, "oc_scheduler_streams_open", `
# HELP oc_scheduler_streams_open Streams open now, of answers and of output.
# TYPE oc_scheduler_streams_open gauge
oc_scheduler_streams_open{carrier="sse"} 5
oc_scheduler_streams_open{carrier="wait"} 1
oc_scheduler_streams_open{carrier="websocket"} 30
`)
	if n := s.Streams(); n != sockets+listeners+1 {
		t.Errorf("%d streams", n)
	}
	s.tellsReady(t, 1)
	s.Retire() // the load balancer looks away; all goes on
	s.tellsReady(t, 0)
	s.do(t, http.MethodGet, "/readyz", "").problem(t, http.StatusServiceUnavailable)
	late := s.dial(t, "/oc/w/check"+inDecember, nil)
	receive(t, late)
	if err := late.Close(websocket.StatusNormalClosure, ""); err != nil {
		t.Error(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := s.Drain(ctx); err != nil {
		t.Fatal(err)
	}
	for range sockets {
		if code := <-codes; code != websocket.StatusServiceRestart {
			t.Errorf("code is %d", code)
		}
	}
	for range listeners {
		if err := <-ends; !errors.Is(err, io.EOF) {
			t.Errorf("an event stream ends with %v", err)
		}
	}
	(<-waiting).ok(t, http.StatusOK) // with what is known
	s.refused(t, "/oc/w/check"+inDecember, nil).problem(t, http.StatusServiceUnavailable)
	s.comesAgain(t, "/oc/w/check"+inDecember)
	s.do(t, http.MethodGet, "/oc/w", "").ok(t, http.StatusOK)
	if err := s.Shutdown(ctx); err != nil {
		t.Error(err)
	}
}

// comesAgain holds a browser that asks for events to come again elsewhere: after any answer but 200 it would not.
func (s *site) comesAgain(t *testing.T, path string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	response, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || string(body) != "retry: 2000\n\n" || response.StatusCode != http.StatusOK || !response.Close ||
		response.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("%s is answered %d %q, %v, %v", path, response.StatusCode, body, response.Header, err)
	}
}

// tellsReady holds that the metric says what /readyz does.
func (s *site) tellsReady(t *testing.T, want int) {
	t.Helper()
	s.counts(t, "oc_scheduler_ready", fmt.Sprintf(`
# HELP oc_scheduler_ready 1 while /readyz says that this replica is ready.
# TYPE oc_scheduler_ready gauge
oc_scheduler_ready %d
`, want))
}
