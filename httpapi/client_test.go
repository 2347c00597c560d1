package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"oc-scheduler/store/origin"
	"oc-scheduler/store/planner"
)

// answer is an HTTP response that has been read.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// do sends a request, holds the answer against the OpenAPI document, and returns it. header is name,
// value, name, value.
func (s *site) do(t *testing.T, method, path, body string, header ...string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	response, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.Header.Get("X-Request-ID") == "" || response.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%s %s: headers %v", method, path, response.Header)
	}
	if path != "/" && path != "/docs" && !strings.HasPrefix(path, "/ui") { // pages are for people
		documented(t, r, response, read)
	}
	return answer{response.StatusCode, response.Header, read}
}

// problem holds an answer to be a problem of a status.
func (a answer) problem(t *testing.T, status int) map[string]any {
	t.Helper()
	if a.status != status || a.header.Get("Content-Type") != "application/problem+json" {
		t.Fatalf("answer is %d %s %s, want a problem %d", a.status, a.header.Get("Content-Type"), a.body, status)
	}
	p := a.json(t)
	if !bytes.HasSuffix(a.body, []byte("}\n")) {
		t.Errorf("problem is no line: %q", a.body)
	}
	if p["status"] != float64(status) || p["type"] != "about:blank" || p["title"] == "" {
		t.Errorf("problem is %s", a.body)
	}
	return p
}

// ok holds an answer to have a status.
func (a answer) ok(t *testing.T, status int) answer {
	t.Helper()
	if a.status != status {
		t.Fatalf("answer is %d %s, want %d", a.status, a.body, status)
	}
	return a
}

func (a answer) json(t *testing.T) map[string]any {
	t.Helper()
	return decode(t, a.body)
}

func decode(t *testing.T, b []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return v
}

// dial opens a WebSocket that ends with the test.
func (s *site) dial(t *testing.T, path string, opts *websocket.DialOptions) *websocket.Conn {
	t.Helper()
	conn, err := s.connect(t.Context(), path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

// connect is dial for any goroutine.
func (s *site) connect(ctx context.Context, path string, opts *websocket.DialOptions) (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if opts == nil {
		opts = &websocket.DialOptions{Subprotocols: []string{"oc.check.v1"}}
	}
	conn, response, err := websocket.Dial(ctx, s.url+path, opts)
	if response != nil && response.Body != nil {
		err = errors.Join(err, response.Body.Close())
	}
	return conn, err
}

// refused dials and returns the answer instead of an upgrade.
func (s *site) refused(t *testing.T, path string, header http.Header, protocols ...string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, response, err := websocket.Dial(ctx, s.url+path, &websocket.DialOptions{HTTPHeader: header, Subprotocols: protocols})
	if err == nil {
		_ = conn.CloseNow()
		t.Fatalf("%s was accepted", path)
	}
	if response == nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(response.Body) // the library keeps the first KiB
	_ = response.Body.Close()
	return answer{response.StatusCode, response.Header, body}
}

// receive reads the next message.
func receive(t *testing.T, conn *websocket.Conn) map[string]any {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, message, err := conn.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	m := decode(t, message)
	if kind, _ := m["type"].(string); kind == "result" || kind == "error" && m["execution_id"] == nil { // others are for pages
		told(t, "websocket", "/oc/w/check", kind, message)
	}
	return m
}

func send(t *testing.T, conn *websocket.Conn, message string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := conn.Write(ctx, websocket.MessageText, []byte(message)); err != nil {
		t.Fatal(err)
	}
}

// closed reads until the connection closes and returns the code; -1: without a close frame.
func closed(t *testing.T, conn *websocket.Conn) (code websocket.StatusCode, reason string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		_, _, err := conn.Read(ctx)
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			t.Fatal("the connection stays open")
		}
		if e, ok := errors.AsType[websocket.CloseError](err); ok {
			return e.Code, e.Reason
		}
		return -1, ""
	}
}

// sampleWorkflow needs cores of one instance of peer-a.
func sampleWorkflow(workflowID string, cores int) string {
	return fmt.Sprintf(`{"id":%q,"name":"align reads","graph":{"items":{"n1":{"compute":{"id":"cluster","peer_id":"peer-a","demand":{"cores":%d}}}},"links":[]}}`, workflowID, cores)
}

// store a workflow over HTTP.
func (s *site) put(t *testing.T, workflowID string, cores int) answer {
	t.Helper()
	return s.do(t, http.MethodPut, "/oc/"+workflowID, sampleWorkflow(workflowID, cores))
}

// plan stores a planner of a peer, as the bus would, with free of 64 cores in 2026-12.
func (s *site) plan(t testing.TB, peerID string, free int) {
	t.Helper()
	raw := fmt.Appendf(nil, `{"peer_id":%q,"generated_at":%q,"capacities":{"cluster":{"i0":{"cores":64}}},"schedule":{"cluster":[{"start":"2020-01-01T00:00:00Z","end":"2100-01-01T00:00:00Z","instance_id":"i0","usage":{"cores":%d}}]}}`,
		peerID, time.Now().UTC().Format(time.RFC3339Nano), 64-free)
	s.planned(t, raw)
}

// planned stores a planner as the bus would.
func (s *site) planned(t testing.TB, raw []byte) {
	t.Helper()
	p, err := planner.Decode(raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.seq++
	if _, err := s.store.Planners.Apply(t.Context(), raw, p, origin.Source{Seq: s.seq, Time: time.Now(), Bus: time.Unix(1, 0)}); err != nil {
		t.Fatal(err)
	}
}

// counts waits until a metric has a value, given as lines of the exposition format.
func (s *site) counts(t *testing.T, name, want string) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		if err = testutil.GatherAndCompare(s.reg, bytes.NewBufferString(want), name); err == nil {
			return
		}
		pause(t)
	}
	t.Error(err)
}

// pause is the step of waits for something that has no channel.
func pause(t testing.TB) {
	t.Helper()
	select {
	case <-time.After(5 * time.Millisecond):
	case <-t.Context().Done():
	}
}

func quoted(t *testing.T, s string) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
