package app_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/app"
	"oc-scheduler/internal/natstest"
	"oc-scheduler/jet"
	"oc-scheduler/store"
)

func TestMain(m *testing.M) { natstest.VerifyTestMain(m) }

const patience = 30 * time.Second

// running is a replica under test.
type running struct {
	*app.Replica
	stop  context.CancelFunc
	ended chan struct{}
	err   error // after ended
}

// start runs a replica until stop, or the end of the test.
func start(t *testing.T, cfg app.Config) *running {
	t.Helper()
	return startLogging(t, cfg, slog.DiscardHandler)
}

func startLogging(t *testing.T, cfg app.Config, log slog.Handler) *running {
	t.Helper()
	replica, err := app.New(t.Context(), cfg, slog.New(log))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	r := &running{Replica: replica, stop: stop, ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		r.err = replica.Run(ctx)
	}()
	t.Cleanup(func() { _ = r.wait(t) })
	return r
}

// wait stops the replica and returns what Run returned.
func (r *running) wait(t *testing.T) error {
	t.Helper()
	r.stop()
	return r.end(t)
}

// end waits for the replica to end by itself.
func (r *running) end(t *testing.T) error {
	t.Helper()
	select {
	case <-r.ended:
	case <-time.After(patience):
		t.Fatal("the replica does not end")
	}
	return r.err
}

func (r *running) awaitReady(t *testing.T) {
	t.Helper()
	select {
	case <-r.Ready():
	case <-r.ended:
		t.Fatalf("ended before it was ready: %v", r.err)
	case <-time.After(patience):
		t.Fatal("not ready in time")
	}
}

// status is the answer to a GET, 0 when there is none.
func (r *running) status(t *testing.T, path string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return send(t, req)
}

func send(t *testing.T, req *http.Request) (status int, body string) {
	t.Helper()
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	text, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// notReadyFor waits until the replica says that it is not ready, for that reason.
func (r *running) notReadyFor(t *testing.T, words ...string) {
	t.Helper()
	until(t, fmt.Sprintf("not ready: %q", words), func() bool {
		status, body := r.status(t, "/readyz")
		for _, word := range words {
			if !strings.Contains(body, word) {
				return false
			}
		}
		return status == http.StatusServiceUnavailable
	})
}

// until repeats a look until it succeeds.
func until(t *testing.T, what string, look func() bool) {
	t.Helper()
	natstest.Eventually(t, what, look)
}

func embedded(t *testing.T) app.Config {
	t.Helper()
	c := valid()
	c.DataDir = t.TempDir()
	return c
}

func on(server *natstest.Server) app.Config {
	c := valid()
	c.NATSURL = []string{server.URL()}
	return c
}

func TestEmbeddedLife(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := embedded(t)
	c.ListenFile, c.NATSListenFile, c.ReadyFile = filepath.Join(dir, "http"), filepath.Join(dir, "nats"), filepath.Join(dir, "ready")
	if err := os.WriteFile(c.ReadyFile, []byte("of an earlier life"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := start(t, c)
	r.awaitReady(t)
	if got := read(t, c.ListenFile); "http://"+got != r.URL() {
		t.Errorf("listen file says %q, the URL is %s", got, r.URL())
	}
	if got := read(t, c.NATSListenFile); got != r.NATSURL() || !strings.HasPrefix(got, "nats://127.0.0.1:") {
		t.Errorf("NATS listen file says %q, the URL is %s", got, r.NATSURL())
	}
	until(t, "the ready file", func() bool { return strings.HasPrefix(read(t, c.ReadyFile), r.URL()) })
	for path, want := range map[string]int{"/livez": 200, "/readyz": 200, "/metrics": 200, "/oc": 200, "/planners": 200, "/oc/none/check": 404} {
		if got, body := r.status(t, path); got != want {
			t.Errorf("GET %s: %d, want %d\n%s", path, got, want, body)
		}
	}
	if err := r.wait(t); err != nil {
		t.Errorf("Run: %v", err)
	}
	if _, err := os.Stat(c.ReadyFile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the ready file outlives the replica: %v", err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

// TestDrainTellsLoadBalancersFirst holds the order of a drain: not ready, then the grace, then closed.
func TestDrainTellsLoadBalancersFirst(t *testing.T) {
	t.Parallel()
	c := embedded(t)
	c.DrainGrace = time.Second
	r := start(t, c)
	r.awaitReady(t)
	r.stop()
	until(t, "503 from a replica that still serves", func() bool {
		ready, _ := r.status(t, "/readyz")
		alive, _ := r.status(t, "/livez")
		return ready == http.StatusServiceUnavailable && alive == http.StatusOK
	})
	if err := r.end(t); err != nil {
		t.Errorf("Run: %v", err)
	}
	if got, _ := r.status(t, "/livez"); got != 0 {
		t.Errorf("still answers with %d after the end", got)
	}
}

func TestNATSAwayAtStart(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	server.Stop()
	r := start(t, on(server))
	until(t, "a live replica", func() bool { status, _ := r.status(t, "/livez"); return status == http.StatusOK })
	if status, body := r.status(t, "/readyz?verbose"); status != http.StatusServiceUnavailable || !strings.Contains(body, "nats") {
		t.Errorf("GET /readyz without NATS: %d %s", status, body)
	}
	if status, _ := r.status(t, "/oc"); status != http.StatusServiceUnavailable {
		t.Errorf("GET /oc without NATS: %d", status)
	}
	server.Restart(t)
	r.awaitReady(t)
	if status, _ := r.status(t, "/oc"); status != http.StatusOK {
		t.Errorf("GET /oc: %d", status)
	}
}

// TestStopWithoutNATS holds that a replica that has never reached NATS ends without complaint.
func TestStopWithoutNATS(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	server.Stop()
	r := start(t, on(server))
	until(t, "a live replica", func() bool { status, _ := r.status(t, "/livez"); return status == http.StatusOK })
	if err := r.wait(t); err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestOutageWhileRunning(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	r := start(t, on(server))
	r.awaitReady(t)
	server.Stop()
	until(t, "not ready", func() bool { status, _ := r.status(t, "/readyz"); return status == http.StatusServiceUnavailable })
	if status, _ := r.status(t, "/oc"); status != http.StatusOK {
		t.Errorf("reads stop with NATS: %d", status)
	}
	server.Restart(t)
	until(t, "ready again", func() bool { status, _ := r.status(t, "/readyz"); return status == http.StatusOK })
}

// TestForeignStream holds that what only an operator can cure is told at once, with its name, and
// also when it shows only after a start without NATS.
func TestForeignStream(t *testing.T) {
	t.Parallel()
	newer := store.Expect(1)[0].Stream
	newer.Metadata = jet.Version{Layout: 3, Least: 2}.Mark(nil)
	for name, tc := range map[string]struct {
		foreign jetstream.StreamConfig
		tells   string
	}{
		"captor":        {jetstream.StreamConfig{Name: "other", Subjects: []string{"CREATE_RESOURCE"}}, "by stream other"},
		"configuration": {jetstream.StreamConfig{Name: "KV_planners", Subjects: []string{"$KV.planners.>"}, MaxMsgsPerSubject: 5}, "KV_planners"},
		"newer layout":  {newer, "KV_planners has layout 3, for programs of layout 2 or newer; this one is of layout 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := natstest.Start(t)
			js, err := jetstream.New(server.Connect(t))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := js.CreateStream(t.Context(), tc.foreign); err != nil {
				t.Fatal(err)
			}
			server.Stop()
			r := start(t, on(server))
			server.Restart(t)
			var config *app.ConfigError
			if err := r.end(t); !errors.As(err, &config) || !strings.Contains(err.Error(), tc.tells) || strings.Contains(err.Error(), "\n") {
				t.Errorf("Run: %v, want a configuration fault that names %s", err, tc.tells)
			}
		})
	}
}

func TestNewSaysWhatToDo(t *testing.T) {
	t.Parallel()
	taken := start(t, embedded(t))
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("not what it should be"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		change func(*app.Config)
		names  string
		config bool
	}{
		"HTTP port taken":    {func(c *app.Config) { c.Listen = strings.TrimPrefix(taken.URL(), "http://") }, "--listen", false},
		"metrics port taken": {func(c *app.Config) { c.MetricsListen = strings.TrimPrefix(taken.URL(), "http://") }, "--metrics-listen", false},
		"NATS port taken":    {func(c *app.Config) { c.NATSListen = strings.TrimPrefix(taken.NATSURL(), "nats://") }, "--nats-listen", false},
		"no directory":       {func(c *app.Config) { c.DataDir = "" }, "--data-dir", true},
		"not a directory":    {func(c *app.Config) { c.DataDir = filepath.Join(file, "below") }, "--data-dir", true},
		"no place for files": {func(c *app.Config) { c.ListenFile = filepath.Join(file, "below") }, "--listen-file", true},
		"no place for addresses": {func(c *app.Config) {
			c.MetricsListen, c.MetricsListenFile = ":0", filepath.Join(file, "below")
		}, "--metrics-listen-file", true},
		"no place for readiness": {func(c *app.Config) { c.ReadyFile = filepath.Join(file, "below") }, "--ready-file", true},
		"credentials of nobody": {func(c *app.Config) {
			c.NATSURL, c.NATSCreds = []string{"127.0.0.1:1"}, file
		}, "--nats-creds", true},
		"a port taken, too": {func(c *app.Config) {
			c.Listen = strings.TrimPrefix(taken.URL(), "http://")
			c.NATSURL, c.NATSCreds = []string{"127.0.0.1:1"}, filepath.Join(file, "below")
		}, "--nats-creds", true},
		"no credentials": {func(c *app.Config) {
			c.NATSURL, c.NATSCreds = []string{"127.0.0.1:1"}, filepath.Join(file, "below")
		}, "--nats-creds", true},
		"no certificate": {func(c *app.Config) { c.NATSURL, c.NATSCA = []string{"127.0.0.1:1"}, file }, "--nats-ca", true},
		"no client certificate": {func(c *app.Config) {
			c.NATSURL, c.NATSCert, c.NATSKey = []string{"127.0.0.1:1"}, file, file
		}, "--nats-cert", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := embedded(t)
			tc.change(&c)
			_, err := app.New(t.Context(), c, slog.New(slog.DiscardHandler))
			var config *app.ConfigError
			if err == nil || !strings.Contains(err.Error(), tc.names) || errors.As(err, &config) != tc.config {
				t.Errorf("New: %v, want an error that names %s (configuration fault: %v)", err, tc.names, tc.config)
			}
		})
	}
}

// TestCopiesWithoutACluster holds that what is wrong is said once.
func TestCopiesWithoutACluster(t *testing.T) {
	t.Parallel()
	c := on(natstest.Start(t))
	c.JSReplicas = 3
	var config *app.ConfigError
	if err := start(t, c).end(t); !errors.As(err, &config) || err.Error() != "--js-replicas: 3 needs a NATS cluster; this server has none" {
		t.Errorf("Run: %v", err)
	}
}
