package logstream_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"oc-scheduler/internal/natstest"
	"oc-scheduler/streams/logstream"
)

// numbered writes lines until half is called and then as many again, so that a test does its mischief
// in the middle. It returns all that was written.
func numbered(t *testing.T, out *logstream.Output) (half func() string) {
	t.Helper()
	stop := make(chan struct{})
	var all strings.Builder
	var work sync.WaitGroup
	work.Go(func() {
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for i, rest := 0, -1; rest != 0; i++ {
			line := fmt.Sprintf("line %d %s\n", i, strings.Repeat("x", i%2000))
			if _, err := io.WriteString(out.Stdout(), line); err != nil {
				t.Error(err)
				return
			}
			all.WriteString(line)
			select {
			case <-stop:
				if rest < 0 {
					rest = i + 1
				}
				rest--
			case <-tick.C:
			}
		}
	})
	once := sync.OnceFunc(func() { close(stop); work.Wait() })
	t.Cleanup(once)
	return func() string {
		once()
		if err := out.Close(); err != nil {
			t.Error(err)
		}
		return all.String()
	}
}

// follow reads on its own. It returns what was read when that has ended.
func follow(t *testing.T, server logstream.Server, r logstream.Request) (result func() (string, error)) {
	t.Helper()
	reader := open(t, server, r)
	var got strings.Builder
	var failed error
	var work sync.WaitGroup
	work.Go(func() {
		for {
			c, err := next(t, reader)
			if err != nil {
				failed = err
				return
			}
			got.Write(c.Data)
		}
	})
	t.Cleanup(work.Wait)
	return func() (string, error) { work.Wait(); return got.String(), failed }
}

func same(t *testing.T, result func() (string, error), want string) {
	t.Helper()
	switch got, err := result(); {
	case !errors.Is(err, io.EOF):
		t.Errorf("after %d bytes of %d: %v", len(got), len(want), err)
	case got != want:
		t.Errorf("read %d bytes, not the %d that were written", len(got), len(want))
	}
}

// TestNothingIsLostWhenLinksBreak holds that readers go on where they were, whichever link breaks.
func TestNothingIsLostWhenLinksBreak(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	near, far := natstest.StartProxy(t, s.Addr()), natstest.StartProxy(t, s.Addr())
	connect := func(p *natstest.Proxy) *nats.Conn {
		nc, err := nats.Connect(p.URL(), nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond),
			nats.ReconnectBufSize(-1), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(nc.Close)
		return nc
	}
	node, reader := connect(near), connect(far)
	files := newFiles(t, logstream.FilesConfig{})
	listen(t, logstream.ListenerConfig{Conn: node, Server: files})
	half := numbered(t, create(t, files, "ex"))
	result := follow(t, over(reader), logstream.Request{ExecutionID: "ex", Follow: true})
	for i := range 4 {
		broken, conn := near, node
		if i%2 == 1 {
			broken, conn = far, reader
		}
		before := conn.Stats().Reconnects
		broken.Cut()
		natstest.Eventually(t, "the link is seen to be broken", func() bool { return !conn.IsConnected() })
		broken.Pass()
		natstest.Eventually(t, "the link is back", func() bool {
			return conn.IsConnected() && conn.Stats().Reconnects > before
		})
	}
	same(t, result, half())
}

func TestNothingIsLostWhenTheServerRestarts(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	files := newFiles(t, logstream.FilesConfig{})
	node, reader := s.Connect(t), s.Connect(t)
	listen(t, logstream.ListenerConfig{Conn: node, Server: files})
	half := numbered(t, create(t, files, "ex"))
	result := follow(t, over(reader), logstream.Request{ExecutionID: "ex", Follow: true})
	for range 2 {
		s.Restart(t)
		natstest.Eventually(t, "both are back", func() bool { return node.IsConnected() && reader.IsConnected() })
	}
	same(t, result, half())
}

// TestNothingIsLostWhenTheNodeReconnects holds that a reader goes over to the listener of the node's
// next connection.
func TestNothingIsLostWhenTheNodeReconnects(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	files := newFiles(t, logstream.FilesConfig{})
	half := numbered(t, create(t, files, "ex"))
	cfg := logstream.ListenerConfig{Conn: s.Connect(t), Server: files}
	l := listen(t, cfg)
	result := follow(t, over(s.Connect(t)), logstream.Request{ExecutionID: "ex", Follow: true})
	for range 3 {
		stop(t, l)
		l = listen(t, cfg)
	}
	same(t, result, half())
}

// TestATailGoesOn holds that a tail is not asked for again when a part of it has come.
func TestATailGoesOn(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	files := newFiles(t, logstream.FilesConfig{})
	out := create(t, files, "ex")
	write(t, out.Stdout(), "a\nb\nc\n")
	cfg := logstream.ListenerConfig{Conn: s.Connect(t), Server: files}
	l := listen(t, cfg)
	r := open(t, over(s.Connect(t)), logstream.Request{ExecutionID: "ex", Follow: true, Tail: 2})
	expect(t, r, "b\nc\n")
	stop(t, l)
	write(t, out.Stdout(), "d\ne\nf\ng\n")
	listen(t, cfg)
	expect(t, r, "d\ne\nf\ng\n")
}
