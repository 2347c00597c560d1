package natsd_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natsd"
	"oc-scheduler/internal/natstest"
)

// steady are the options of a client that outlives an outage.
var steady = []nats.Option{nats.MaxReconnects(-1), nats.ReconnectWait(50 * time.Millisecond)}

// stops waits until the server has stopped and says so in these words.
func stops(t *testing.T, s *natsd.Server, words ...string) {
	t.Helper()
	natstest.Eventually(t, "the server stops", func() bool { return s.Err() != nil })
	for _, word := range words {
		if err := s.Err(); err != nil && !strings.Contains(err.Error(), word) { // nil: it runs again already
			t.Errorf("it does not tell of %q: %v", word, err)
		}
	}
}

// runs waits until a connection that was made before stores again what it publishes.
func runs(t *testing.T, s *natsd.Server, nc *nats.Conn) {
	t.Helper()
	natstest.Eventually(t, "the server runs again", func() bool { return s.Err() == nil && nc.IsConnected() })
	js := stream(t, s)
	if _, err := js.Publish(t.Context(), "s.a", []byte("x")); err != nil {
		t.Errorf("after the return: %v", err)
	}
}

// TestAStoreThatIsGone holds that a server does not go on with files that nobody will find again.
func TestAStoreThatIsGone(t *testing.T) {
	for name, remove := range map[string]func(dir string) error{
		"removed":          os.RemoveAll,
		"all within":       func(dir string) error { return errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)) },
		"the server's own": func(dir string) error { return os.RemoveAll(filepath.Join(dir, "jetstream")) },
		"moved away":       func(dir string) error { return os.Rename(dir, dir+"-old") },
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, "127.0.0.1:0")
			s := start(t, o)
			defer s.Shutdown()
			stream(t, s)
			nc := connect(t, s.ClientURL(), steady...)
			if err := remove(o.DataDir); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			stops(t, s, o.DataDir, "removed or replaced")
			runs(t, s, nc)
		})
	}
}

// TestShutdownOfAStoppedServer holds that the end does not wait for the return.
func TestShutdownOfAStoppedServer(t *testing.T) {
	o := options(t, "127.0.0.1:0")
	s := start(t, o)
	if err := errors.Join(os.RemoveAll(o.DataDir), os.WriteFile(o.DataDir, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	natstest.Eventually(t, "the server says that it cannot begin", func() bool {
		err := s.Err()
		return err != nil && strings.Contains(err.Error(), "not a directory")
	})
	if _, err := nats.Connect("", s.ConnOptions()...); err == nil {
		t.Error("a stopped server is connected to")
	}
	s.Shutdown()
	if s.Err() == nil {
		t.Error("it has ended, and says nothing")
	}
}
