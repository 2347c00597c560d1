package auth

import (
	"encoding/base64"
	"net/http"
	"strings"
)

// bearerProtocol begins the WebSocket subprotocol by which a browser, which cannot set headers there, shows its
// token: what follows is the token in base64, by the alphabet of URLs, without padding.
const bearerProtocol = "oc.bearer."

// Shown is the credential that a request shows, "" for one that is malformed; given is false where it shows
// none. A header wins over a subprotocol, whatever it holds.
func Shown(r *http.Request) (text string, given bool) {
	if lines := r.Header["Authorization"]; len(lines) > 0 {
		return inHeader(lines), true
	}
	return inProtocols(r.Header["Sec-Websocket-Protocol"])
}

// inHeader reads an Authorization header (RFC 6750, section 2.1). Of several nobody knows which is meant.
func inHeader(lines []string) string {
	scheme, text, _ := strings.Cut(lines[0], " ")
	if len(lines) > 1 || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimLeft(text, " ")
}

func inProtocols(lines []string) (text string, given bool) {
	for _, line := range lines {
		for offered := range strings.SplitSeq(line, ",") {
			coded, is := strings.CutPrefix(strings.TrimSpace(offered), bearerProtocol)
			if !is {
				continue
			}
			decoded, err := base64.RawURLEncoding.Strict().DecodeString(coded)
			if err != nil || given {
				return "", true
			}
			text, given = string(decoded), true
		}
	}
	return text, given
}
