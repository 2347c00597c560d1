package carry

import (
	"net/http"
	"unicode/utf8"

	"github.com/coder/websocket"
)

// Refusal is how a WebSocket is closed in place of an answer with the status of an error: with 4000 and the status,
// but 1013 for one that says to try again later, and 1011 for a fault here.
func Refusal(status int, reason string) *Ending {
	const most = 123 // bytes (RFC 6455, section 5.5)
	for len(reason) > most {
		_, size := utf8.DecodeLastRuneInString(reason)
		reason = reason[:len(reason)-size]
	}
	e := &Ending{Code: websocket.StatusCode(4000 + status), Reason: reason}
	switch {
	case status == http.StatusServiceUnavailable:
		e.Code = websocket.StatusTryAgainLater
	case status >= http.StatusInternalServerError:
		e.Code = Fault.Code
	}
	return e
}

// How many WebSockets are held at a time only to be told why they are none, for as long as the client takes to agree:
// of all clients and of one. They are none of the streams that Config allows.
const (
	maxRefused          = 256
	maxRefusedPerClient = 16
)

// Refuse makes the connection of a request a WebSocket, only to close it as an ending says: scripts in a browser are told
// the code and the reason of that, and nothing of an answer that refuses the upgrade. It returns when the connection is
// closed, within seconds. The error is a *HandshakeError or, while too many are being told, a *LimitError; the client has not been told of either.
func (c *Carriers) Refuse(w http.ResponseWriter, r *http.Request, client, protocol string, e *Ending) error {
	if err := c.refused.enter(client); err != nil {
		return err
	}
	defer c.refused.leave(client)
	conn, _, err := c.upgrade(w, r, protocol)
	if err != nil {
		return err
	}
	_ = conn.Close(e.Code, e.Reason) // the client has heard it or never will
	return nil
}

// Offers says whether a request is for a WebSocket of a subprotocol, among others perhaps.
func Offers(r *http.Request, protocol string) bool {
	return Upgrades(r) && hasToken(r.Header.Values("Sec-WebSocket-Protocol"), protocol)
}
