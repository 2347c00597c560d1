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

// Refuse makes the connection of a request a WebSocket, only to close it as an ending says: scripts in a browser are told
// the code and the reason of that, and nothing of an answer that refuses the upgrade. It returns when the connection is
// closed, within seconds. The error is a *HandshakeError, of which the client has not been told.
func (c *Carriers) Refuse(w http.ResponseWriter, r *http.Request, protocol string, e *Ending) error {
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
