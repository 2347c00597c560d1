package httpapi_test

import (
	"context"
	"errors"
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
	s.Retire() // the load balancer looks away; all goes on
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
	if a := s.do(t, http.MethodGet, "/oc/w/check"+inDecember, "", "Accept", "text/event-stream"); a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	s.do(t, http.MethodGet, "/oc/w", "").ok(t, http.StatusOK)
	if err := s.Shutdown(ctx); err != nil {
		t.Error(err)
	}
}
