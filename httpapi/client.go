package httpapi

import (
	"net/netip"

	"github.com/labstack/echo/v4"
)

// client is whose requests and streams are counted together: a subject's, wherever he comes from, or those of an address
// from which nobody shows valid credentials.
type client struct {
	name  string
	known bool // it is a subject
}

func clientOf(c echo.Context) client {
	if grantOf(c) != nil {
		return client{subjectOf(c).ID, true}
	}
	return client{networkOf(c.Request().RemoteAddr), false}
}

// networkOf is an address, or what an IPv6 host usually has to itself; "" where that is not known.
func networkOf(remote string) string {
	from, err := netip.ParseAddrPort(remote)
	if err != nil {
		return ""
	}
	addr := from.Addr().Unmap().WithZone("")
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	prefix, err := addr.Prefix(bits)
	if err != nil {
		return ""
	}
	return prefix.String()
}
