package httpapi

import (
	"bytes"
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// tcp is a connection of which the kernel keeps little, and its other end.
func tcp(t *testing.T) (server, client *net.TCPConn) {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	dialed, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	server, client = accepted.(*net.TCPConn), dialed.(*net.TCPConn)
	t.Cleanup(func() { _, _ = server.Close(), client.Close() })
	if err := errors.Join(server.SetWriteBuffer(64<<10), client.SetReadBuffer(64<<10), client.SetDeadline(time.Now().Add(20*time.Second))); err != nil {
		t.Fatal(err)
	}
	return server, client
}

// opaque hides what else a connection can do, as one under TLS does.
type opaque struct{ net.Conn }

// TestWireKeepsFramesWhole: what a client does not take at once goes out before the library's next frame.
func TestWireKeepsFramesWhole(t *testing.T) {
	t.Parallel()
	for name, wrap := range map[string]func(net.Conn) net.Conn{
		"plain":  func(c net.Conn) net.Conn { return c },
		"opaque": func(c net.Conn) net.Conn { return opaque{c} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, client := tcp(t)
			w := newWire(wrap(server), time.Minute, nil)
			message, ping := bytes.Repeat([]byte("m"), 1<<20), []byte("\x89\x00")
			rest, err := w.send(message)
			if rest == nil || err != nil || !w.behind.Load() {
				t.Fatalf("whole %t, behind %t, %v", rest == nil, w.behind.Load(), err)
			}
			wrote := make(chan error, 1)
			go func() {
				_, err := w.Write(ping)
				wrote <- err
			}()
			got := make([]byte, len(message)+len(ping))
			if _, err := io.ReadFull(client, got); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, append(message, ping...)) {
				t.Error("the frames are mixed up")
			}
			if err := errors.Join(<-wrote, rest()); err != nil || w.behind.Load() {
				t.Errorf("behind %t, %v", w.behind.Load(), err)
			}
			if rest, err = w.send(message[:10]); rest != nil {
				err = rest()
			}
			if _, readErr := io.ReadFull(client, got[:10]); err != nil || readErr != nil || !bytes.Equal(got[:10], message[:10]) {
				t.Errorf("after it comes %q, %v, %v", got[:10], err, readErr)
			}
		})
	}
}

// TestWireOfASlowClient: what was not taken in time cannot be completed, so nothing else may follow.
func TestWireOfASlowClient(t *testing.T) {
	t.Parallel()
	server, _ := tcp(t)
	w := newWire(server, 50*time.Millisecond, nil)
	rest, err := w.send(make([]byte, 1<<20))
	if rest == nil || err != nil {
		t.Fatalf("whole %t, %v", rest == nil, err)
	}
	_, writeErr := w.Write([]byte("\x89\x00"))
	_, sendErr := w.send([]byte("more"))
	for _, err := range []error{writeErr, sendErr, rest()} {
		if !isTimeout(err) {
			t.Error(err)
		}
	}
}

func TestNoMessageFollowsACloseFrame(t *testing.T) {
	t.Parallel()
	server, _ := tcp(t)
	w := newWire(server, time.Minute, nil)
	if n, err := w.Write([]byte("\x88\x02\x03\xe8")); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	if _, err := w.send([]byte("more")); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

// TestSendDoesNotWaitForTheLibrary: a client that asks for pongs, and takes none, keeps the library waiting.
func TestSendDoesNotWaitForTheLibrary(t *testing.T) {
	t.Parallel()
	server, client := tcp(t)
	w := newWire(server, time.Minute, nil)
	w.mu.Lock() // as Write does
	rest, err := w.send([]byte("message"))
	w.mu.Unlock()
	if rest == nil || err != nil {
		t.Fatalf("whole %t, %v", rest == nil, err)
	}
	if err := rest(); err != nil {
		t.Error(err)
	}
	got := make([]byte, len("message"))
	if _, err := io.ReadFull(client, got); err != nil || string(got) != "message" {
		t.Errorf("%q, %v", got, err)
	}
}
