package natsd_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"oc-scheduler/internal/natsd"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func options(t *testing.T, listen string) natsd.Options {
	t.Helper()
	return natsd.Options{Listen: listen, DataDir: filepath.Join(t.TempDir(), "made", "here"), Log: slog.New(slog.DiscardHandler)}
}

func start(t *testing.T, o natsd.Options) *natsd.Server {
	t.Helper()
	s, err := natsd.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// connect opens a connection that the test's end closes, and waits for.
func connect(t *testing.T, url string, opts ...nats.Option) *nats.Conn {
	t.Helper()
	closed := make(chan struct{})
	nc, err := nats.Connect(url, append(opts, nats.ClosedHandler(func(*nats.Conn) { close(closed) }))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close(); <-closed })
	return nc
}

func TestKeepsWhatItStoredOverARestart(t *testing.T) {
	o := options(t, natsd.Off)
	first := start(t, o)
	js := stream(t, first)
	body := bytes.Repeat([]byte("x"), 8<<20+1000)
	if _, err := js.Publish(t.Context(), "s.a", body); err != nil {
		t.Fatalf("a message of 8 MiB and its headers: %v", err)
	}
	js.Conn().Close()
	first.Shutdown()
	second := start(t, o)
	defer second.Shutdown()
	if second.ClientURL() != "" {
		t.Errorf("a server that does not listen has the URL %s", second.ClientURL())
	}
	st, err := stream(t, second).Stream(t.Context(), "S")
	if err != nil || st.CachedInfo().State.Msgs != 1 {
		t.Errorf("after the restart: %v", err)
	}
}

func stream(t *testing.T, s *natsd.Server) jetstream.JetStream {
	t.Helper()
	js, err := jetstream.New(connect(t, "", s.ConnOptions()...))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s.>"}}); err != nil {
		t.Fatal(err)
	}
	return js
}

func TestPicksAPort(t *testing.T) {
	for _, listen := range []string{":0", "127.0.0.1:0"} {
		s := start(t, options(t, listen))
		nc := connect(t, s.ClientURL())
		if max := nc.MaxPayload(); max != natsd.MaxPayload {
			t.Errorf("%s: max payload %d", listen, max)
		}
		if !strings.HasPrefix(s.ClientURL(), "nats://127.0.0.1:") || strings.HasSuffix(s.ClientURL(), ":0") {
			t.Errorf("%s: URL %s", listen, s.ClientURL())
		}
		nc.Close()
		s.Shutdown()
	}
}

// TestOwnChoicesAreNoWarnings: nothing is wrong with a server that was started a moment ago.
func TestOwnChoicesAreNoWarnings(t *testing.T) {
	o := options(t, "127.0.0.1:0")
	var log bytes.Buffer
	o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	start(t, o).Shutdown()
	if lines := log.String(); !strings.Contains(lines, "Maximum payloads") || strings.Contains(lines, "level=WARN") {
		t.Errorf("the payload is not spoken of, or warned of:\n%s", lines)
	}
}

func TestFailsClearly(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	held := options(t, natsd.Off)
	holder := start(t, held)
	defer holder.Shutdown()
	for name, tc := range map[string]struct {
		change func(*natsd.Options)
		want   []string
	}{
		"port taken":     {func(o *natsd.Options) { o.Listen = taken.Addr().String() }, []string{taken.Addr().String(), "address already in use"}},
		"no address":     {func(o *natsd.Options) { o.Listen = "4222" }, []string{`"4222"`, "host:port", "off"}},
		"no port":        {func(o *natsd.Options) { o.Listen = "127.0.0.1:99999" }, []string{"99999"}},
		"no directory":   {func(o *natsd.Options) { o.DataDir = file }, []string{file, "not a directory"}},
		"unusable store": {func(o *natsd.Options) { o.DataDir = spoiled(t) }, []string{"JetStream"}},
		"in use":         {func(o *natsd.Options) { o.DataDir = held.DataDir }, []string{held.DataDir, "in use"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, "127.0.0.1:0")
			tc.change(&o)
			s, err := natsd.Start(t.Context(), o)
			if err == nil {
				s.Shutdown()
				t.Fatal("it started")
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not tell of %s", err, want)
				}
			}
		})
	}
	free := options(t, natsd.Off)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := natsd.Start(ctx, free); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
	start(t, free).Shutdown() // what failed has let go of the directory
}

// spoiled is a directory in which the server can't make its own.
func spoiled(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "jetstream"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}
