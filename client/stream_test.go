package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/coder/websocket"

	"oc-scheduler/client"
)

// TestFollowingGoesOn after the event that came last, over answers that break off and replicas that start, to the end.
func TestFollowingGoesOn(t *testing.T) {
	t.Parallel()
	var after []string
	c, done := of(t, func(w http.ResponseWriter, r *http.Request) {
		after = append(after, r.Header.Get("Last-Event-ID"))
		switch len(after) {
		case 1:
			_, _ = fmt.Fprint(w, ":\n\nevent: state\nid: 4\ndata: {\"state\":\ndata: \"running\"}\n\nevent: later\nid: 5\ndata: {}\n\nevent: transition\nid: 6\nda")
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 3:
			_, _ = fmt.Fprint(w, "event: transition\nid: 6\ndata: {\"to\":\"completed\"}\n\n")
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	})
	var came []string
	lost := 0
	for e, err := range c.FollowRun(t.Context(), "r", client.After("3"), client.OnLost(func(error, time.Duration) { lost++ })) {
		switch {
		case err != nil:
			t.Error(err)
		case e.State != nil:
			came = append(came, e.ID+e.State.State)
		default:
			came = append(came, e.ID+e.Transition.To)
		}
	}
	done()
	if !slices.Equal(came, []string{"4running", "6completed"}) || !slices.Equal(after, []string{"3", "5", "5", "6"}) || lost != 1 { // that of 503
		t.Errorf("came %q, asked after %q, lost %d", came, after, lost)
	}
}

// TestTheEndIsAskedFor: a stream that was ended is whole only when there is nothing after it, however little patience there is.
func TestTheEndIsAskedFor(t *testing.T) {
	t.Parallel()
	calls := 0
	c, done := of(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls++; calls == 1 {
			_, _ = fmt.Fprint(w, "event: state\nid: 1\ndata: {\"state\":\"completed\"}\n\n")
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	lost := client.OnLost(func(err error, _ time.Duration) { t.Error(err) })
	for e, err := range c.FollowRun(t.Context(), "r", client.Patience(0), lost) {
		if err != nil || !e.State.Final() {
			t.Errorf("%+v, %v", e, err)
		}
	}
	if done(); calls != 2 {
		t.Errorf("asked %d times", calls)
	}
}

// TestAnOutputEnds with the execution, and not with what it costs to get it.
func TestAnOutputEnds(t *testing.T) {
	t.Parallel()
	calls := 0
	c, done := of(t, func(w http.ResponseWriter, r *http.Request) {
		if calls++; calls == 1 {
			_, _ = fmt.Fprint(w, "event: output\nid: 2\ndata: {\"source\":\"stdout\",\"data\":\"aGk=\"}\n\nevent: error\ndata: {\"status\":503,\"title\":\"drains\"}\n\n")
			return
		}
		if r.Header.Get("Last-Event-ID") != "2" || r.URL.RawQuery != "follow=true" {
			t.Errorf("%s after %s", r.URL, r.Header.Get("Last-Event-ID"))
		}
		_, _ = fmt.Fprint(w, "event: end\ndata: {\"state\":\"failed\",\"exit_code\":3}\n\n")
	})
	said, code := "", 0
	var raw client.Answer
	for e, err := range c.FollowOutput(t.Context(), "x", client.OutputRange{Follow: true}, client.Into(&raw)) {
		switch {
		case err != nil:
			t.Error(err)
		case e.End != nil && e.End.Final():
			code = *e.End.ExitCode
		default:
			said += string(e.Chunk.Data)
		}
	}
	done()
	if said != "hi" || code != 3 || string(raw.Body) != `{"state":"failed","exit_code":3}` || calls != 2 {
		t.Errorf("%q, %d, %s, %d calls", said, code, raw.Body, calls)
	}
}

// TestWatchingComesAgain when a replica drains, breaks off, is busy or starts, and asks the same; not when there is no use.
func TestWatchingComesAgain(t *testing.T) {
	t.Parallel()
	const answer = `{"type":"result","status":"available","version":"%d"}`
	calls := 0
	c, done := of(t, func(w http.ResponseWriter, r *http.Request) {
		calls++
		if calls == 3 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"oc.check.v1"}})
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = ws.CloseNow() }()
		if _, asked, err := ws.Read(r.Context()); err != nil || string(asked) != `{"duration_s":60}` || r.URL.RawQuery != "rate=10" {
			t.Errorf("%s %s, %v", r.URL, asked, err)
		}
		_ = ws.Write(r.Context(), websocket.MessageText, fmt.Appendf(nil, answer, calls))
		switch calls {
		case 1:
			_ = ws.Close(websocket.StatusServiceRestart, "restart")
		case 4:
			_ = ws.Close(4429, "too many")
		case 5:
			_ = ws.Close(4404, "no such workflow")
		}
	})
	var came []string
	var end error
	var lost []string
	options := []client.CallOption{client.Rate(10), client.OnLost(func(err error, _ time.Duration) { lost = append(lost, err.Error()) })}
	for result, err := range c.WatchWorkflow(t.Context(), "w", client.CheckRequest{DurationS: new(60.0)}, options...) {
		if end = err; err == nil {
			came = append(came, result.Version)
		}
	}
	done()
	closed, ok := errors.AsType[*client.ClosedError](end)
	if !ok || closed.Code != 4404 || !slices.Equal(came, []string{"1", "2", "4", "5"}) || len(lost) != 4 || lost[2] != "Service Unavailable" {
		t.Errorf("came %q, lost %q, ended with %v", came, lost, end)
	}
}

// TestLeaving ends a stream, and what is refused is not asked again.
func TestLeaving(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	c, _ := of(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/runs/none/events" {
			http.NotFound(w, r)
			return
		}
		_, _ = fmt.Fprint(w, "event: state\nid: 1\ndata: {}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	})
	for _, err := range c.FollowRun(t.Context(), "r") {
		if err != nil {
			t.Error(err)
		}
		break
	}
	<-gone
	for _, err := range c.FollowRun(t.Context(), "none") {
		if p, ok := errors.AsType[*client.Problem](err); !ok || p.Title != "Not Found" || p.Detail != "404 page not found" || !errors.Is(err, client.ErrNotFound) || errors.Is(err, client.ErrGone) {
			t.Error(err)
		}
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	c, _ := of(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("cursor") {
		case "":
			_, _ = fmt.Fprint(w, `{"items":[{"node_id":"a"},{"node_id":"b"}],"next_cursor":"x"}`)
		case "x":
			_, _ = fmt.Fprint(w, `{"items":[{"node_id":"c"}],"next_cursor":null}`)
		}
	})
	var ids []string
	for n, err := range client.All(func(p client.Page) (*client.List[client.Node], error) { return c.ListNodes(t.Context(), p) }) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, n.NodeID)
	}
	if !slices.Equal(ids, []string{"a", "b", "c"}) {
		t.Errorf("%q", ids)
	}
}
