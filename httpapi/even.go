package httpapi

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/kv"
)

// evenStep is far above what it takes to find out that something is not there, or whose it is.
const evenStep = 10 * time.Millisecond

// even has who does not see all groups wait to be told that something is not there until the next full step since he
// asked: what is another's is found sooner, and that would tell that it is there.
func even(c echo.Context, p *Problem) {
	a := askerOf(c)
	if a == nil || a.Subject.Everywhere() || p.Status != http.StatusNotFound && p.Status != http.StatusPreconditionFailed {
		return
	}
	_ = kv.Sleep(c.Request().Context(), evenStep-time.Since(a.since)%evenStep)
}
