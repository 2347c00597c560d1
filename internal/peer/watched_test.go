package peer_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/internal/peer"
	"oc-scheduler/streams/nclprotocol"
)

// TestANodeIsWatched holds that it says whether it lives, whether it is in touch, and what it does.
func TestANodeIsWatched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	cfg := config(t.TempDir())
	p, err := peer.New(t.Context(), cfg, nclprotocol.Client{URL: w.server.URL(), NodeID: cfg.NodeID}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Watched(t.Context(), "nowhere"); err == nil || !strings.Contains(err.Error(), "--listen") {
		t.Error(err)
	}
	addr, err := p.Watched(t.Context(), ":0")
	if err != nil || !strings.HasPrefix(addr, "127.0.0.1:") {
		t.Fatal(addr, err)
	}
	stop := natstest.Run(t, p.Run)
	get := func(path string) (int, string) {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+addr+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Close = true
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, err.Error()
		}
		defer func() { _ = answer.Body.Close() }()
		body, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, string(body)
	}
	natstest.Eventually(t, "it is ready", func() bool { status, _ := get("/readyz"); return status == http.StatusOK })
	if status, body := get("/livez"); status != http.StatusOK || body != "alive\n" {
		t.Errorf("%d %s", status, body)
	}
	_, metrics := get("/metrics")
	for _, line := range []string{"oc_scheduler_peer_connected 1", `oc_scheduler_peer_executions{state="running"} 0`, `oc_scheduler_peer_executions{state="queued"} 0`} {
		if !strings.Contains(metrics, line+"\n") {
			t.Errorf("no %s in %s", line, metrics)
		}
	}
	w.server.Stop()
	natstest.Eventually(t, "it is not ready", func() bool {
		status, body := get("/readyz")
		return status == http.StatusServiceUnavailable && strings.Contains(body, "not ready")
	})
	if status, _ := get("/nix"); status != http.StatusNotFound {
		t.Errorf("%d", status)
	}
	stop()
	if status, _ := get("/livez"); status != 0 {
		t.Error("it listens after its end")
	}
}
