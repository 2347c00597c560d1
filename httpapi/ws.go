package httpapi

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"strings"

	"github.com/coder/websocket"
	"github.com/labstack/echo/v4"

	"oc-scheduler/streams/check"
)

// subprotocol names the messages of the check stream.
const subprotocol = "oc.check.v1"

// serveWebSocket serves a check stream (contract of the messages: the OpenAPI document). Whatever can
// be refused is refused before the upgrade, as a problem with a status.
func (s *Server) serveWebSocket(c echo.Context, checks *check.Service, workflowID string) error {
	r := c.Request()
	if err := offered(r); err != nil {
		return err
	}
	asked := r.URL.RawQuery != ""
	stream, leave, err := s.begin(c, checks, workflowID, asked)
	if err != nil {
		return err
	}
	defer leave()
	conn, raw, err := upgrade(c)
	if err != nil {
		stream.Close()
		return err
	}
	conn.SetReadLimit(s.cfg.MaxMessage)
	// The connection has left net/http: its life is not the request's any more.
	session := &wsSession{server: s, conn: conn, raw: raw, stream: stream}
	c.Set(isStream, session.run(context.WithoutCancel(r.Context()), asked))
	return nil
}

// offered refuses a client that offers subprotocols, but not ours.
func offered(r *http.Request) error {
	lines := r.Header.Values("Sec-WebSocket-Protocol")
	if len(lines) == 0 || hasToken(lines, subprotocol) {
		return nil
	}
	return newProblem(http.StatusBadRequest, "of the WebSocket subprotocols only %s is spoken here", subprotocol)
}

// upgrades reports whether a request asks for a WebSocket. One that does so wrongly is refused by the
// handshake.
func upgrades(r *http.Request) bool {
	return r.Method == http.MethodGet && hasToken(r.Header.Values("Connection"), "upgrade") &&
		hasToken(r.Header.Values("Upgrade"), "websocket")
}

// hasToken reports whether a comma-separated header holds a token, in any case.
func hasToken(lines []string, token string) bool {
	for part := range strings.SplitSeq(strings.Join(lines, ","), ",") {
		if strings.EqualFold(strings.TrimSpace(part), token) {
			return true
		}
	}
	return false
}

// upgrade makes the connection a WebSocket. A handshake that fails is a *Problem.
func upgrade(c echo.Context) (*websocket.Conn, net.Conn, error) {
	h := &handshake{ResponseWriter: c.Response()}
	conn, err := websocket.Accept(h, c.Request(), &websocket.AcceptOptions{
		Subprotocols:       []string{subprotocol},
		InsecureSkipVerify: true, // the origin has been checked, by the rule that CORS uses too
	})
	if err == nil {
		return conn, h.conn, nil
	}
	for _, name := range []string{"Connection", "Upgrade", "Sec-WebSocket-Accept", "Sec-WebSocket-Protocol"} {
		h.Header().Del(name)
	}
	status := h.status
	if status == 0 || status == http.StatusUpgradeRequired { // a request this broken has no answer as plain GET
		status = http.StatusBadRequest
	}
	return nil, nil, newProblem(status, "%v", err)
}

// handshake lets the library answer a handshake that succeeds, keeps its plain-text refusals off the
// wire, and remembers the connection, which can so be cut from outside.
type handshake struct {
	http.ResponseWriter
	status int
	conn   net.Conn
}

// WriteHeader passes on the switch of protocols alone.
func (h *handshake) WriteHeader(status int) {
	if h.status = status; status == http.StatusSwitchingProtocols {
		h.ResponseWriter.WriteHeader(status)
	}
}

// Write drops the text of a refusal; a handshake that succeeds has none.
func (h *handshake) Write(text []byte) (int, error) { return len(text), nil }

// Hijack takes the connection over.
func (h *handshake) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffers, err := http.NewResponseController(h.ResponseWriter).Hijack()
	h.conn = conn
	return conn, buffers, err
}
