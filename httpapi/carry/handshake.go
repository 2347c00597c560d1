package carry

import (
	"bufio"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/coder/websocket"
)

// The buffers of a WebSocket, in bytes. What a client sends are requests, and what the library sends
// are control frames, of 127 bytes at most (RFC 6455, section 5.5); each is to be one write.
const (
	readBuffer  = 256
	writeBuffer = 128
)

// upgrade makes the connection of a request a WebSocket. The error is a *HandshakeError.
func (c *Carriers) upgrade(w http.ResponseWriter, r *http.Request, protocol string) (*websocket.Conn, *wire, error) {
	h := &handshake{ResponseWriter: w, within: c.cfg.WriteWithin}
	conn, err := websocket.Accept(h, r, &websocket.AcceptOptions{
		Subprotocols:       []string{protocol},
		InsecureSkipVerify: true, // of origins the server has a rule of its own, which CORS uses too
	})
	if err == nil {
		conn.SetReadLimit(c.cfg.MaxMessage)
		return conn, h.wire, nil
	}
	for _, name := range []string{"Connection", "Upgrade", "Sec-WebSocket-Accept", "Sec-WebSocket-Protocol"} {
		h.Header().Del(name)
	}
	status := h.status
	if status == 0 || status == http.StatusUpgradeRequired { // a request this broken has no answer as plain GET
		status = http.StatusBadRequest
	}
	return nil, nil, &HandshakeError{status, err}
}

// handshake lets the library answer a handshake that succeeds, keeps its plain-text refusals off the
// wire, and gives it the connection as a wire with small buffers.
type handshake struct {
	http.ResponseWriter
	within time.Duration
	status int
	wire   *wire
}

// WriteHeader passes on the switch of protocols alone.
func (h *handshake) WriteHeader(status int) {
	if h.status = status; status == http.StatusSwitchingProtocols {
		h.ResponseWriter.WriteHeader(status)
	}
}

// Write drops the text of a refusal; a handshake that succeeds has none.
func (h *handshake) Write(text []byte) (int, error) { return len(text), nil }

// Hijack takes the connection over, with what a client has sent ahead.
func (h *handshake) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffers, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	if u, ok := conn.(interface{ TakenOver() net.Conn }); ok { // a server's own, which is for HTTP
		conn = u.TakenOver()
	}
	early, err := buffers.Peek(buffers.Reader.Buffered())
	if err != nil {
		return nil, nil, err
	}
	h.wire = newWire(conn, h.within, slices.Clone(early))
	return h.wire, bufio.NewReadWriter(bufio.NewReaderSize(h.wire, readBuffer), bufio.NewWriterSize(h.wire, writeBuffer)), nil
}
