package httpapi_test

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// rawSocket is a WebSocket client that writes and reads bytes.
type rawSocket struct {
	net.Conn
	*bufio.Reader
}

// dialRaw sends a handshake, with lines of its own and more right behind it, and holds the answer to accept it.
func (s *site) dialRaw(t testing.TB, path string, behind []byte, lines ...string) rawSocket {
	t.Helper()
	raw, status := s.shakeRaw(t, path, behind, lines...)
	if status != http.StatusSwitchingProtocols {
		t.Fatalf("answer is %d", status)
	}
	return raw
}

// shakeRaw is the connection after a handshake, and the status of the answer.
func (s *site) shakeRaw(t testing.TB, path string, behind []byte, lines ...string) (raw rawSocket, status int) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	handshake := "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" + strings.Join(append(lines, "", ""), "\r\n")
	if _, err := conn.Write(append([]byte(handshake), behind...)); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	response, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	return rawSocket{conn, reader}, response.StatusCode
}

// frame reads one frame of a server.
func (r rawSocket) frame(t *testing.T) (first byte, payload []byte) {
	t.Helper()
	var head [4]byte
	if _, err := io.ReadFull(r.Reader, head[:2]); err != nil {
		t.Fatal(err)
	}
	size := int(head[1])
	if size == 126 {
		if _, err := io.ReadFull(r.Reader, head[2:]); err != nil {
			t.Fatal(err)
		}
		size = int(binary.BigEndian.Uint16(head[2:]))
	}
	payload = make([]byte, size)
	if _, err := io.ReadFull(r.Reader, payload); err != nil {
		t.Fatal(err)
	}
	return head[0], payload
}

// masked is a frame of a client, whose mask is zero.
func masked(first byte, payload string) []byte {
	b := []byte{first, 0x80 | 126, 0, 0, 0, 0, 0, 0}
	binary.BigEndian.PutUint16(b[2:], uint16(len(payload)))
	return append(b, payload...)
}

// TestMessageSentAhead: a client need not wait for the answer to its handshake, and net/http has read
// what follows, which may be more than a WebSocket's own buffer holds.
func TestMessageSentAhead(t *testing.T) {
	t.Parallel()
	s := newSite(t, defaults)
	s.put(t, "w", 1).ok(t, http.StatusCreated)
	request := strings.Repeat(" ", 2000) + `{"duration_s":60}`
	conn := s.dialRaw(t, "/oc/w/check", masked(0x81, request))
	if first, payload := conn.frame(t); first != 0x81 || decode(t, payload)["type"] != "result" {
		t.Errorf("%x %s", first, payload)
	}
}
