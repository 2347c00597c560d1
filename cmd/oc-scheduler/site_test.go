package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/nats-io/nats.go"

	"oc-scheduler/events"
	"oc-scheduler/internal/natstest"
)

// patience bounds every wait of these tests, far above what a loaded machine takes.
const patience = 2 * time.Minute

// site is the program as `serve` runs it, with its embedded NATS server, and a client on the bus.
type site struct {
	url string // of the HTTP side
	bus *nats.Conn

	mu    sync.Mutex
	heard []string // what the scheduler said on the bus, in order: "PB_PLANNER peer-a"
}

// startSite serves until the test ends; it must drain cleanly then.
func startSite(t *testing.T, flags ...string) *site {
	t.Helper()
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	args := append([]string{
		"serve", "--listen", "127.0.0.1:0", "--nats-listen", "127.0.0.1:0", "--data-dir", file("data"), "--drain-grace", "0s",
		"--listen-file", file("http"), "--nats-listen-file", file("nats"), "--ready-file", file("ready"),
	}, flags...)
	ctx, cancel := context.WithCancel(context.Background())
	var log bytes.Buffer
	code := make(chan int, 1)
	go func() { code <- run(ctx, args, lookupIn(nil), &log, &log) }()
	t.Cleanup(func() {
		cancel()
		if c := <-code; c != 0 || t.Failed() {
			t.Errorf("serve exited with %d:\n%s", c, log.String())
		}
	})
	eventually(t, "ready", func() bool { _, err := os.Stat(file("ready")); return err == nil })
	s := &site{url: "http://" + read(t, file("http"))}
	var err error
	if s.bus, err = nats.Connect(read(t, file("nats"))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.bus.Close)
	if _, err := s.bus.Subscribe(events.Propagation, s.hear); err != nil {
		t.Fatal(err)
	}
	if err := s.bus.Flush(); err != nil {
		t.Fatal(err)
	}
	return s
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	natstest.Eventually(t, what, ok)
}

func (s *site) hear(m *nats.Msg) {
	var e struct {
		FromApp string `json:"from_app"`
		Payload []byte
	}
	var p struct {
		Action  string
		Payload []byte
	}
	var peer struct {
		PeerID string `json:"peer_id"`
	}
	if json.Unmarshal(m.Data, &e) != nil || e.FromApp != "oc-scheduler" || json.Unmarshal(e.Payload, &p) != nil || json.Unmarshal(p.Payload, &peer) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard = append(s.heard, p.Action+" "+peer.PeerID)
}

// said is what the scheduler has said of a peer so far.
func (s *site) said(peerID string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for _, h := range s.heard {
		if action, of, _ := strings.Cut(h, " "); of == peerID {
			list = append(list, action)
		}
	}
	return strings.Join(list, " ")
}

func (s *site) eventuallySaid(t *testing.T, peerID, want string) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("said of %s: %s", peerID, s.said(peerID))
		}
	}()
	eventually(t, fmt.Sprintf("%s said of %s", want, peerID), func() bool { return s.said(peerID) == want })
}

// publish sends an event on the bus, its payload in base64 as Go services write it.
func (s *site) publish(t *testing.T, subject string, event map[string]any) {
	t.Helper()
	data, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.bus.Publish(subject, data); err != nil {
		t.Fatal(err)
	}
}

func (s *site) publishPlanner(t *testing.T, planner []byte) {
	t.Helper()
	inner, err := json.Marshal(map[string]any{"action": "PB_PLANNER", "datatype": "", "payload": planner})
	if err != nil {
		t.Fatal(err)
	}
	s.publish(t, "PROPALGATION_EVENT", map[string]any{"from_app": "oc-discovery", "payload": inner})
}

func (s *site) publishWorkflow(t *testing.T, workflow []byte) {
	t.Helper()
	s.publish(t, "CREATE_RESOURCE", map[string]any{"from_app": "oc-workflow", "datatype": "WORKFLOW", "payload": workflow})
}

// post asks over HTTP for one answer.
func (s *site) post(t *testing.T, workflowID, request string) result {
	t.Helper()
	resp, err := http.Post(s.url+"/oc/"+workflowID+"/check", "application/json", strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var r result
	if err := json.NewDecoder(resp.Body).Decode(&r); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status, err)
	}
	return r
}

// stream is a WebSocket client that keeps up.
type stream struct {
	t    *testing.T
	conn *websocket.Conn
}

// watch opens a check stream.
func (s *site) watch(t *testing.T, workflowID, query string) stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, s.url+"/oc/"+workflowID+"/check?"+query, &websocket.DialOptions{Subprotocols: []string{"oc.check.v1"}})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(4 << 20)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return stream{t, conn}
}

// until reads frames until one is as wanted.
func (s stream) until(what string, ok func(result) bool) result {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	for {
		_, data, err := s.conn.Read(ctx)
		if err != nil {
			s.t.Fatalf("%s: %v", what, err)
		}
		var r result
		if err := json.Unmarshal(data, &r); err != nil {
			s.t.Fatal(err)
		}
		if ok(r) {
			return r
		}
	}
}

// ask runs a command against the site.
func (s *site) ask(t *testing.T, command string, args ...string) outcome {
	t.Helper()
	return invoke(t, map[string]string{"OC_SERVER": s.url}, append([]string{command}, args...)...)
}
