package carry_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"

	"github.com/coder/websocket"
)

// dial opens a WebSocket that ends with the test.
func (s *site) dial(t *testing.T, path string, opts *websocket.DialOptions) *websocket.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if opts == nil {
		opts = &websocket.DialOptions{}
	}
	conn, _, err := websocket.Dial(ctx, s.url+path, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

// receive reads the next message.
func receive(t *testing.T, conn *websocket.Conn) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_, message, err := conn.Read(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return string(message)
}

func send(t *testing.T, conn *websocket.Conn, message string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := conn.Write(ctx, websocket.MessageText, []byte(message)); err != nil {
		t.Fatal(err)
	}
}

// closed reads until the connection closes and returns the code; -1: without a close frame.
func closed(t *testing.T, conn *websocket.Conn) (code websocket.StatusCode, reason string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		_, _, err := conn.Read(ctx)
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			t.Fatal("the connection stays open")
		}
		if e, ok := errors.AsType[websocket.CloseError](err); ok {
			return e.Code, e.Reason
		}
		return -1, ""
	}
}

// answer is one whose body is being read.
type answer struct {
	status int
	header http.Header
	body   *bufio.Reader
	leave  func() error
}

// get opens an answer, which ends with the test.
func (s *site) get(t *testing.T, path string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return answer{response.StatusCode, response.Header, bufio.NewReader(response.Body), response.Body.Close}
}

// lines reads as many lines as there are in a text, and holds them to be that.
func lines(t *testing.T, r *bufio.Reader, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := io.ReadFull(r, got); err != nil || string(got) != want {
		t.Fatalf("read %q, %v; want %q", got[:n], err, want)
	}
}

// deaf is a client for whose connections the kernel keeps little, so that one that does not read is
// noticed after a few frames.
func deaf(t *testing.T) *http.Client {
	t.Helper()
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		var err error
		return errors.Join(c.Control(func(fd uintptr) { err = keepLittle(fd) }), err)
	}}
	transport := &http.Transport{DialContext: dialer.DialContext, ReadBufferSize: 1 << 10}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}
