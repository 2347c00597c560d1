package carry

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// tcp is a connection of which the kernel keeps little, and its other end.
func tcp(t testing.TB) (server, client *net.TCPConn) {
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

// sealed is such a connection under TLS, and its other end.
func sealed(t testing.TB) (server *tls.Conn, client *net.TCPConn, opened *tls.Conn) {
	t.Helper()
	return sealedBy(t, &tls.Config{MinVersion: tls.VersionTLS13})
}

// sealedBy is one as the other end likes it.
func sealedBy(t testing.TB, other *tls.Config) (server *tls.Conn, client *net.TCPConn, opened *tls.Conn) {
	t.Helper()
	lower, client := tcp(t)
	raw, err := lower.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	certified := httptest.NewTLSServer(nil)
	certified.Close()
	server = tls.Server(&under{TCPConn: lower, raw: raw}, &tls.Config{Certificates: certified.TLS.Certificates, MinVersion: tls.VersionTLS12})
	other.RootCAs, other.ServerName = certified.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, "example.com"
	opened = tls.Client(&swapped{client}, other)
	var both errgroup.Group
	both.Go(func() error { return server.HandshakeContext(t.Context()) })
	both.Go(func() error { return opened.HandshakeContext(t.Context()) })
	if err := both.Wait(); err != nil {
		t.Fatal(err)
	}
	return server, client, opened
}

// swapped is a connection in whose place another one may be put.
type swapped struct{ net.Conn }

// opaque hides what else a connection can do, as one under TLS does.
type opaque struct{ net.Conn }

// pair are the ends of a connection.
type pair struct{ server, client net.Conn }

// wires are connections of each kind.
func wires(t *testing.T) map[string]pair {
	t.Helper()
	server, client := tcp(t)
	hidden, clear := tcp(t)
	under, _, opened := sealed(t)
	return map[string]pair{"plain": {server, client}, "opaque": {opaque{hidden}, clear}, "TLS": {under, opened}}
}

// TestWireKeepsFramesWhole: what a client does not take at once goes out before the library's next frame.
func TestWireKeepsFramesWhole(t *testing.T) {
	t.Parallel()
	for name, c := range wires(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, client := newWire(c.server, time.Minute, nil), c.client
			message, ping := bytes.Repeat([]byte("m"), 1<<20), []byte("\x89\x00")
			rest, err := w.send(pieces{message})
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
			if rest, err = w.send(pieces{message[:10]}); rest != nil {
				err = rest()
			}
			if _, readErr := io.ReadFull(client, got[:10]); err != nil || readErr != nil || !bytes.Equal(got[:10], message[:10]) {
				t.Errorf("after it comes %q, %v, %v", got[:10], err, readErr)
			}
		})
	}
}

// TestAMessageGoesOutAtOnce to a client that takes it: nothing is left to be waited for, under TLS neither.
func TestAMessageGoesOutAtOnce(t *testing.T) {
	t.Parallel()
	for name, c := range wires(t) {
		if name == "opaque" {
			continue
		}
		w := newWire(c.server, time.Minute, nil)
		for _, size := range []int{1, 1 << 10, 40_000} { // the last in several records
			rest, err := w.send(pieces{make([]byte, size)})
			if rest != nil || err != nil || w.behind.Load() {
				t.Errorf("%s, %d bytes: whole %t, behind %t, %v", name, size, rest == nil, w.behind.Load(), err)
			}
			if _, err := io.ReadFull(c.client, make([]byte, size)); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestWireOfASlowClient: what was not taken in time cannot be completed, so nothing else may follow.
func TestWireOfASlowClient(t *testing.T) {
	t.Parallel()
	for name, c := range wires(t) {
		w := newWire(c.server, 50*time.Millisecond, nil)
		rest, err := w.send(pieces{make([]byte, 1<<20)})
		if rest == nil || err != nil {
			t.Fatalf("%s: whole %t, %v", name, rest == nil, err)
		}
		if w.under != nil && len(w.under.kept) > 2*maxRecord {
			t.Errorf("%d bytes are kept", len(w.under.kept))
		}
		_, writeErr := w.Write([]byte("\x89\x00"))
		_, sendErr := w.send(pieces{[]byte("more")})
		for _, err := range []error{writeErr, sendErr, rest()} {
			if !isTimeout(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestCuttingASlowClientDoesNotWait for it, though there is a frame on its way.
func TestCuttingASlowClientDoesNotWait(t *testing.T) {
	t.Parallel()
	for name, c := range wires(t) {
		w := newWire(c.server, time.Hour, nil)
		rest, err := w.send(pieces{make([]byte, 1<<20)})
		if rest == nil || err != nil {
			t.Fatalf("%s: whole %t, %v", name, rest == nil, err)
		}
		over := make(chan error, 1)
		go func() { over <- rest() }()
		began := time.Now()
		_ = w.Close()
		if took := time.Since(began); took > 3*time.Second { // crypto/tls would give its goodbye 5
			t.Errorf("%s: it took %v", name, took)
		}
		if err := <-over; err == nil {
			t.Errorf("%s: what was cut was sent", name)
		}
	}
}

// TestWhoWaitsUnderTLSKeepsNothing of what was read before, however much that was, and does not wait in crypto/tls.
func TestWhoWaitsUnderTLSKeepsNothing(t *testing.T) {
	t.Parallel()
	server, _, client := sealed(t)
	w, large := newWire(server, time.Minute, nil), bytes.Repeat([]byte("large"), 10_000)
	for _, message := range [][]byte{nil, large, []byte("small")} { // the first read is after the handshake
		if _, err := client.Write(message); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(message))
		if _, err := io.ReadFull(w, got); err != nil || !bytes.Equal(got, message) {
			t.Fatalf("%.20q, %v", got, err)
		}
		if err := w.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Read(make([]byte, 10)); !isTimeout(err) {
			t.Errorf("nothing more was sent: %v", err)
		}
		for i, b := range w.hoard {
			if b == nil || b.Cap() > 0 {
				t.Errorf("after %d bytes buffer %d is kept: %v", len(message), i, b)
			}
		}
		if err := w.SetReadDeadline(time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := client.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Read(make([]byte, 10)); !errors.Is(err, io.EOF) {
		t.Errorf("in the end: %v", err)
	}
}

// TestARecordComesInPieces, as the network likes it.
func TestARecordComesInPieces(t *testing.T) {
	t.Parallel()
	server, raw, _ := sealed(t)
	w := newWire(server, time.Minute, nil)
	read := make(chan error, 1)
	go func() {
		_, err := w.Read(make([]byte, 1))
		read <- err
	}()
	for _, b := range []byte{0x17, 3, 3, 0, 17} { // the header of a record of a byte, whose seal will be wrong
		if _, err := raw.Write([]byte{b}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := raw.Write(make([]byte, 17)); err != nil {
		t.Fatal(err)
	}
	if err := <-read; err == nil || errors.Is(err, errNotYet) {
		t.Errorf("a forged record: %v", err)
	}
}

// TestAControlFrameLeavesNoDeadline: the time that it had is not that of the message after it.
func TestAControlFrameLeavesNoDeadline(t *testing.T) {
	t.Parallel()
	const within = 20 * time.Millisecond
	server, _ := tcp(t)
	w := newWire(server, within, nil)
	if _, err := w.Write([]byte("\x89\x00")); err != nil {
		t.Fatal(err)
	}
	<-time.After(2 * within) // a deadline would have passed
	if rest, err := w.send(pieces{[]byte("x")}); rest != nil || err != nil {
		t.Errorf("whole %t, %v", rest == nil, err)
	}
}

func TestNoMessageFollowsACloseFrame(t *testing.T) {
	t.Parallel()
	server, _ := tcp(t)
	w := newWire(server, time.Minute, nil)
	if n, err := w.Write([]byte("\x88\x02\x03\xe8")); n != 4 || err != nil {
		t.Fatal(n, err)
	}
	if _, err := w.send(pieces{[]byte("more")}); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

// TestSendDoesNotWaitForTheLibrary: a client that asks for pongs, and takes none, keeps the library waiting.
func TestSendDoesNotWaitForTheLibrary(t *testing.T) {
	t.Parallel()
	server, client := tcp(t)
	w := newWire(server, time.Minute, nil)
	w.mu.Lock() // as Write does
	rest, err := w.send(pieces{[]byte("message")})
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

// TestFramesOfTwoWritersDoNotMix: messages of any size arrive whole and in order among control frames,
// however slowly the client reads.
func TestFramesOfTwoWritersDoNotMix(t *testing.T) {
	t.Parallel()
	for name, c := range wires(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mix(t, newWire(c.server, time.Minute, nil), c.client)
		})
	}
}

func mix(t *testing.T, w *wire, client net.Conn) {
	t.Helper()
	const count, pings = 200, 2000
	var all messages
	message := func(n int) pieces { return all.of(bytes.Repeat([]byte{byte(n)}, 1+2*n*n)) } // in one piece or in two
	var writers errgroup.Group
	writers.Go(func() error {
		for n := range count {
			rest, err := w.send(message(n))
			if rest != nil {
				err = rest()
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	writers.Go(func() error {
		for range pings {
			if _, err := w.Write([]byte("\x89\x02hi")); err != nil {
				return err
			}
		}
		return nil
	})
	r, seen := bufio.NewReader(client), [2]int{}
	for seen != [2]int{count, pings} {
		first, err := r.Peek(1)
		if err != nil {
			t.Fatal(err)
		}
		next, kind := message(seen[0]), 0
		want := slices.Concat(next[:]...)
		if first[0] == 0x89 {
			want, kind = []byte("\x89\x02hi"), 1
		}
		got := make([]byte, len(want))
		if _, err := io.ReadFull(r, got); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("after %v frames: %.20q instead of %.20q, %v", seen, got, want, err)
		}
		seen[kind]++
	}
	if err := writers.Wait(); err != nil {
		t.Error(err)
	}
}

// BenchmarkSend is a frame of 1 KiB to a client that keeps up.
func BenchmarkSend(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		server, client := tcp(b)
		benchmarkSend(b, server, client)
	})
	b.Run("TLS", func(b *testing.B) {
		server, client, _ := sealed(b)
		benchmarkSend(b, server, client)
	})
}

func benchmarkSend(b *testing.B, server net.Conn, client *net.TCPConn) {
	b.Helper()
	if err := client.SetDeadline(time.Time{}); err != nil {
		b.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, client) }()
	w, frame := newWire(server, time.Minute, nil), make([]byte, 1<<10)
	b.ReportAllocs()
	for b.Loop() {
		rest, err := w.send(pieces{frame})
		if rest != nil {
			err = rest()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
