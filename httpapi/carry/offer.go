package carry

import (
	"fmt"
	"net/http"
	"strings"
)

// HandshakeError is why a request does not become a WebSocket.
type HandshakeError struct {
	Status int // of the answer
	err    error
}

// Error says what is wrong with the request.
func (e *HandshakeError) Error() string { return e.err.Error() }

// Unwrap is what the library says.
func (e *HandshakeError) Unwrap() error { return e.err }

// Upgrades reports whether a request asks for a WebSocket. One that does so wrongly is refused by the
// handshake.
func Upgrades(r *http.Request) bool {
	return r.Method == http.MethodGet && hasToken(r.Header.Values("Connection"), "upgrade") &&
		hasToken(r.Header.Values("Upgrade"), "websocket")
}

// CheckOffer refuses with a *HandshakeError a client that offers subprotocols, but not this one.
func CheckOffer(r *http.Request, protocol string) error {
	lines := r.Header.Values("Sec-WebSocket-Protocol")
	if len(lines) == 0 || hasToken(lines, protocol) {
		return nil
	}
	return &HandshakeError{http.StatusBadRequest, fmt.Errorf("of the WebSocket subprotocols only %s is spoken here", protocol)}
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
