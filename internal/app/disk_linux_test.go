package app_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/app"
	"oc-scheduler/internal/natstest"
)

const diskSize = 24 << 20

// onDisk is a replica's configuration whose store lies on the disk at dir.
func onDisk(dir string) app.Config {
	c := valid()
	c.DataDir = filepath.Join(dir, "store")
	return c
}

// works waits until the replica is ready, and holds that it then does what it is for.
func (r *running) works(t *testing.T, peer string) {
	t.Helper()
	until(t, "ready", func() bool { status, _ := r.status(t, "/readyz"); return status == http.StatusOK })
	nc, err := nats.Connect(r.NATSURL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	(&bus{nc: nc}).planner(t, planner(peer, 0))
	until(t, "a planner comes through", func() bool { status, _ := r.status(t, "/planners/"+peer); return status == http.StatusOK })
	if status := r.put(t, peer, 0); status != http.StatusCreated {
		t.Errorf("PUT: %d", status)
	}
}

// put stores a workflow whose name has that many bytes, and returns the status.
func (r *running) put(t *testing.T, id string, bytes int) int {
	t.Helper()
	doc := fmt.Sprintf(`{"id":%q,"name":%q,"graph":{"items":{}}}`, id, strings.Repeat("x", bytes))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, r.URL()+"/oc/"+id, strings.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Error(err)
	}
	return resp.StatusCode
}

// planner is one of about that many bytes.
func planner(peer string, bytes int) string {
	return fmt.Sprintf(`{"peer_id":%q,"generated_at":%q,"capacities":{},"note":%q}`,
		peer, time.Now().UTC().Format(time.RFC3339Nano), strings.Repeat("x", bytes))
}

// TestAFullDisk holds that a replica whose store cannot be written says so, and works again when it can:
// without a restart, and also when what fills the disk is what it stores.
func TestAFullDisk(t *testing.T) {
	dir, here := natstest.SmallDisk(t, diskSize)
	if !here {
		return
	}
	r := start(t, onDisk(dir))
	r.awaitReady(t)
	r.works(t, "before")
	nc, err := nats.Connect(r.NATSURL(), nats.MaxReconnects(-1))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	b := &bus{nc: nc}
	for name, hole := range map[string]int{"none": 0, "some": 3 << 20} {
		spare := filepath.Join(dir, "spare")
		if err := os.WriteFile(spare, make([]byte, hole), 0o600); err != nil {
			t.Fatal(err)
		}
		free := natstest.FillDisk(t, dir)
		if err := os.Remove(spare); err != nil {
			t.Fatal(err)
		}
		n := 0
		until(t, "not ready, in words", func() bool {
			if nc.IsConnected() { // else the client keeps them, and has no room for all
				b.planner(t, planner(fmt.Sprint("filler-", n), 200_000))
				n++
			}
			status, body := r.status(t, "/readyz")
			return status == http.StatusServiceUnavailable && strings.Contains(body, filepath.Join(dir, "store")+" cannot be written: no space left on device")
		})
		free()
		r.works(t, "after-"+name)
	}
}

// TestAStartOnAFullDisk holds that it is no other than a disk that fills up later.
func TestAStartOnAFullDisk(t *testing.T) {
	dir, here := natstest.SmallDisk(t, diskSize)
	if !here {
		return
	}
	c := onDisk(dir)
	c.NATSListenFile = filepath.Join(t.TempDir(), "nats")
	free := natstest.FillDisk(t, dir)
	r := start(t, c)
	r.notReadyFor(t, c.DataDir, "no space left on device")
	free()
	r.awaitReady(t)
	r.works(t, "peer")
	if got, err := os.ReadFile(c.NATSListenFile); err != nil || string(got) != r.NATSURL() {
		t.Errorf("%q %v", got, err)
	}
}

// TestAFullDiskElsewhere holds that a replica is not ready whose NATS server answers and stores nothing,
// and that it needs nobody when that server has been mended.
func TestAFullDiskElsewhere(t *testing.T) {
	dir, here := natstest.SmallDisk(t, diskSize)
	if !here {
		return
	}
	srv := natstest.Start(t, func(o *server.Options) { o.StoreDir, o.JetStreamMaxStore = dir, 1<<40 })
	r := start(t, on(srv))
	r.awaitReady(t)
	free := natstest.FillDisk(t, dir)
	if status := r.put(t, "w", 20_000); status != http.StatusServiceUnavailable {
		t.Errorf("PUT: %d", status)
	}
	r.notReadyFor(t, "bucket workflows: no write has been answered for", "a full disk")
	free()
	srv.Restart(t) // until then the server writes nothing to the streams that it has shut
	until(t, "ready", func() bool { status, _ := r.status(t, "/readyz"); return status == http.StatusOK })
}
