package carry_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"oc-scheduler/httpapi/carry"
	"oc-scheduler/internal/natstest"
)

// patience bounds every wait of a test; far above what a loaded machine takes.
const patience = 20 * time.Second

// protocol is what the test's WebSockets speak, and errSilent what they end with if nothing is said.
const protocol = "test.v1"

var errSilent = &carry.Ending{Code: 4400, Reason: "say something"}

// site carries sources by the path that is asked for: /ws, /talk (a WebSocket whose client speaks first),
// /events, /text.
type site struct {
	*carry.Carriers
	url    string
	reg    *prometheus.Registry
	client *http.Client
	open   func(name string) carry.Conversation // by ?source=

	mu       sync.Mutex
	wrote    []string // carrier and event
	panicked []any
	refused  []error
}

// newSite serves sources, which are asked for by name, over real connections.
func newSite(t testing.TB, cfg carry.Config, open func(name string) carry.Conversation) *site {
	t.Helper()
	s := &site{reg: prometheus.NewRegistry(), open: open}
	s.Carriers = carry.New(cfg, carry.Hooks{
		Wrote:    func(carrier string, f carry.Frame) { s.note(func() { s.wrote = append(s.wrote, carrier+" "+f.Event) }) },
		Panicked: func(v any) { s.note(func() { s.panicked = append(s.panicked, v) }) },
	}, slog.New(slog.DiscardHandler), s.reg)
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.url = "http://" + l.Addr().String()
	server := &http.Server{Handler: s, ReadTimeout: 150 * time.Millisecond, WriteTimeout: 150 * time.Millisecond} // for whole answers
	transport := &http.Transport{}
	s.client = &http.Client{Transport: transport}
	served := make(chan error, 1)
	go func() { served <- server.Serve(smallBuffers{l}) }()
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
		defer cancel()
		if err := errors.Join(s.Drain(ctx), server.Shutdown(ctx)); err != nil {
			t.Errorf("stopping: %v", err)
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return s
}

func (s *site) note(what func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what()
}

// ServeHTTP implements http.Handler.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	leave, err := s.Admit("192.0.2.1")
	if err != nil {
		s.refuse(w, http.StatusServiceUnavailable, err)
		return
	}
	source := s.open(r.URL.Query().Get("source"))
	if r.URL.Path == "/ws" || r.URL.Path == "/talk" {
		o := carry.Opening{Protocol: protocol, Leave: leave}
		if r.URL.Path == "/talk" {
			o.Silent = errSilent
		}
		if err := s.WebSocket(w, r, source, o); err != nil {
			s.refuse(w, http.StatusBadRequest, err)
		}
		return
	}
	defer leave()
	ctx, part := s.Join(r.Context())
	defer part()
	if r.URL.Path == "/events" {
		_ = s.Events(ctx, w, source)
	} else {
		_ = s.Text(ctx, w, source)
	}
}

func (s *site) refuse(w http.ResponseWriter, status int, err error) {
	s.note(func() { s.refused = append(s.refused, err) })
	w.WriteHeader(status)
}

// ends waits until a number of streams have ended under a label.
func (s *site) ends(t *testing.T, carrier, label string, n float64) {
	t.Helper()
	natstest.Eventually(t, carrier+" ends as "+label, func() bool {
		families, err := s.reg.Gather()
		if err != nil {
			t.Fatal(err)
		}
		var got float64
		for _, f := range families {
			for _, m := range f.GetMetric() {
				if l := m.GetLabel(); f.GetName() == "oc_scheduler_streams_closed_total" && l[0].GetValue() == carrier && l[1].GetValue() == label {
					got = m.GetCounter().GetValue()
				}
			}
		}
		return got == n
	})
}

// smallBuffers makes the kernel take little for a client that does not read. With less still, each
// 100 KB of an answer would wait 50 ms for a delayed acknowledgement.
type smallBuffers struct{ net.Listener }

func (l smallBuffers) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		err = tcp.SetWriteBuffer(64 << 10)
	}
	return c, err
}
