package kv_test

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"oc-scheduler/internal/natstest"
)

// frozenLink is a connection to a server that can be made to carry nothing, without being closed.
type frozenLink struct {
	listener net.Listener
	gate     sync.RWMutex // held for writing while frozen
	done     sync.WaitGroup
}

func newFrozenLink(t *testing.T, srv *natstest.Server) *frozenLink {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &frozenLink{listener: l}
	dialer := net.Dialer{Timeout: 5 * time.Second}
	p.done.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := dialer.DialContext(context.Background(), "tcp", strings.TrimPrefix(srv.URL(), "nats://"))
			if err != nil {
				_ = client.Close()
				continue
			}
			p.done.Go(func() { p.carry(server, client) })
			p.done.Go(func() { p.carry(client, server) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		p.done.Wait()
	})
	return p
}

func (p *frozenLink) carry(to io.WriteCloser, from io.ReadCloser) {
	defer func() { _, _ = to.Close(), from.Close() }()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		p.gate.RLock()
		_, err = to.Write(buf[:n])
		p.gate.RUnlock()
		if err != nil {
			return
		}
	}
}

func TestASilentServerIsNoticed(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	link := newFrozenLink(t, srv)
	nc, err := nats.Connect("nats://"+link.listener.Addr().String(), nats.MaxReconnects(-1), nats.ReconnectBufSize(-1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close) // before the link's own end
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	writer := newTextView(t, srv)
	v := viewTexts(t, js)
	natstest.Run(t, v.Run)
	natstest.Receive(t, v.Loaded())

	link.gate.Lock()
	began := time.Now()
	natstest.Eventually(t, "the silence is noticed", func() bool { return !v.Current() })
	took, age := time.Since(began), v.Age()
	writer.put(t, "a", "written meanwhile")
	link.gate.Unlock()
	t.Logf("noticed after %v, at an age of %v", took, age)
	if took > 5*time.Second { // what is promised to operators
		t.Errorf("noticed only after %v", took)
	}
	if age < time.Second {
		t.Errorf("age = %v: the silence does not count", age)
	}
	v.awaits(t, "a", "written meanwhile")
	natstest.Eventually(t, "the view is current", v.Current)
}
