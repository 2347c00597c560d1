package httpapi_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"oc-scheduler/internal/natstest"
)

// kept is a connection of a client that asks again and again.
type kept struct {
	net.Conn
	answers *bufio.Reader
}

func (s *site) keep(t *testing.T) kept {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return kept{conn, bufio.NewReader(conn)}
}

// asks has one answer.
func (k kept) asks(t *testing.T) {
	t.Helper()
	if _, err := io.WriteString(k, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(k.answers, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
		t.Errorf("%d, %v", response.StatusCode, err)
	}
}

// TestIdleConnectionsAreBounded: one too many is closed after its answer, and those before go on.
func TestIdleConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	for name, bound := range map[string]struct{ all, ofOne int }{"in all": {2, 10}, "of one": {10, 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newBareSite(t, defaults)
			s.IdleAtMost(bound.all, bound.ofOne)
			first, second, third := s.keep(t), s.keep(t), s.keep(t)
			for n, k := range []kept{first, second} {
				k.asks(t)
				natstest.Eventually(t, "it is idle", func() bool { return s.Idle() == n+1 })
			}
			third.asks(t)
			if _, err := third.answers.ReadByte(); !errors.Is(err, io.EOF) {
				t.Errorf("the third is kept: %v", err)
			}
			first.asks(t)
			second.asks(t)
			_ = first.Close()
			natstest.Eventually(t, "there is room again", func() bool { return s.Idle() == 1 })
			fourth := s.keep(t)
			fourth.asks(t)
			fourth.asks(t)
		})
	}
}
