package httpapi

import (
	"cmp"
	"net/http"

	"github.com/labstack/echo/v4"

	"oc-scheduler/httpapi/carry"
)

// hearsNoStatus says whether a request comes from a script in a browser that speaks our subprotocol: of a refused
// upgrade it is told 1006, whatever the answer says, but of a WebSocket that is closed the code and the reason.
func hearsNoStatus(r *http.Request) bool {
	return r.Header.Get(echo.HeaderOrigin) != "" && carry.Offers(r, subprotocol)
}

// ending is the problem as a WebSocket is closed with it.
func (p *Problem) ending() *carry.Ending {
	reason := cmp.Or(p.Detail, p.Title)
	if len(p.Errors) > 0 {
		reason = p.Errors[0].Path + " " + p.Errors[0].Message
	}
	return carry.Refusal(p.Status, reason)
}
