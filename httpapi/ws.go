package httpapi

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
)

// subprotocol names the messages of the check stream.
const subprotocol = "oc.check.v1"

// serveWebSocket opens a check stream and has a session carry it (contract of the messages: the OpenAPI
// document). Whatever can be refused is refused before the upgrade, as a problem with a status. The
// session outlives the request, of which nothing is kept: net/http's memory for it is several times
// that of a stream.
func (s *Server) serveWebSocket(c echo.Context, parts *Parts, workflowID string) error {
	if err := offered(c.Request()); err != nil {
		return err
	}
	asked := c.Request().URL.RawQuery != ""
	stream, leave, err := s.begin(c, parts, workflowID, asked)
	if err != nil {
		return err
	}
	ws := &wsSession{server: s, stream: stream, requestID: requestIDOf(c), over: make(chan *ending, 1)}
	carried := false
	defer func() {
		if !carried {
			stream.Close()
			leave()
		}
	}()
	if ws.conn, ws.wire, err = s.upgrade(c); err != nil {
		return err
	}
	carried = true
	go func() {
		defer leave()
		ws.run(asked)
	}()
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
