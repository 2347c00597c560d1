package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"oc-scheduler/internal/natstest"
)

const wholeWorkflow = `{"id": "wf", "name": "whole", "graph": {"items": {
  "n1": {"compute": {"id": "gpu", "peer_id": "peer-a", "demand": {"gpus": 4}}}}}}`

// planner is one instance of 8 GPUs; busy ones are taken in [start, end).
func plannerOf(generated time.Time, busy int, start, end time.Time) string {
	return fmt.Sprintf(`{"peer_id": "peer-a", "generated_at": %q,
  "capacities": {"gpu": {"i0": {"gpus": 8}}},
  "schedule": {"gpu": [{"start": %q, "end": %q, "instance_id": "i0", "usage": {"gpus": %d}}]}}`,
		generated.Format(time.RFC3339Nano), start.Format(time.RFC3339), end.Format(time.RFC3339), busy)
}

// answer is what this test reads of a result.
type answer struct {
	Type, Status string
	Missing      []string `json:"missing_planners"`
}

// stream is an open check stream.
type stream struct{ ws *websocket.Conn }

func openStream(t *testing.T, url, query string) *stream {
	t.Helper()
	ws, resp, err := websocket.Dial(t.Context(), strings.Replace(url, "http", "ws", 1)+query, &websocket.DialOptions{Subprotocols: []string{"oc.check.v1"}})
	if err != nil {
		t.Fatal(err)
	}
	if resp.Body != nil {
		_ = resp.Body.Close()
	}
	t.Cleanup(func() { _ = ws.CloseNow() })
	return &stream{ws}
}

// until reads answers until one has the status: states in between may or may not be shown.
func (s *stream) until(t *testing.T, status string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		_, frame, err := s.ws.Read(ctx)
		if err != nil {
			t.Fatalf("waiting for %s: %v", status, err)
		}
		var a answer
		if err := json.Unmarshal(frame, &a); err != nil || a.Type != "result" {
			t.Fatalf("%v in %s", err, frame)
		}
		if a.Status == status {
			return a
		}
	}
}

// TestDrainKeepsInterest holds that clients that reconnect elsewhere find their planners: a drain
// closes streams with 1012, but nothing on the bus.
func TestDrainKeepsInterest(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	var log bytes.Buffer // to be read after the end
	leaving, staying := startLogging(t, on(server), slog.NewTextHandler(&log, nil)), start(t, on(server))
	leaving.awaitReady(t)
	staying.awaitReady(t)
	peer := onBus(t, server.Connect(t))
	peer.workflow(t, wholeWorkflow)
	peer.expect(t, "PB_PLANNER", "peer-a")
	until(t, "the workflow on both", func() bool {
		a, _ := leaving.status(t, "/oc/wf")
		b, _ := staying.status(t, "/oc/wf")
		return a == 200 && b == 200
	})
	begin := time.Now().UTC().Add(time.Hour)
	query := "/oc/wf/check?duration=1h&start=" + begin.Format(time.RFC3339)
	ws := openStream(t, leaving.URL(), query)
	peer.planner(t, plannerOf(time.Now().UTC(), 0, begin, begin.Add(time.Hour)))
	ws.until(t, "available")

	leaving.stop()
	if _, _, err := ws.ws.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusServiceRestart {
		t.Errorf("closed with %v, want 1012", err)
	}
	if err := leaving.end(t); err != nil {
		t.Error(err)
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if last := lines[len(lines)-1]; !strings.Contains(last, "msg=stopped") || !strings.Contains(last, "streams_closed=1 took=") {
		t.Errorf("the last line is %s", last)
	}
	again := openStream(t, staying.URL(), query)
	if a := again.until(t, "available"); len(a.Missing) != 0 {
		t.Errorf("missing planners after the reconnect: %v", a.Missing)
	}
	if n := len(peer.messages); n != 1 { // the planner itself
		t.Errorf("the bus heard %d messages meanwhile, want the planner alone", n)
	}
}
