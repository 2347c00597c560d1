package httpapi

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/access"
)

// Check is one condition of readiness.
type Check struct {
	Name  string
	Probe func() error    // nil: fulfilled. It must answer at once
	Notes func() []string // what an operator should know beside it, e.g. broken values; may be nil
}

// Standing is a Check's present state as /readyz?verbose lists it.
type Standing struct {
	Name   string   `json:"name"`
	OK     bool     `json:"ok"`
	Detail string   `json:"detail,omitempty"`
	Notes  []string `json:"notes,omitempty"`
}

// health answers the questions of load balancers and operators.
type health struct {
	checks   func() []Check
	retiring func() bool // the replica is about to drain
	require  func(echo.Context, access.Right) error
}

// live says that the process runs and answers.
func (h health) live(c echo.Context) error {
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	return c.JSON(http.StatusOK, map[string]string{"status": "alive"})
}

// ready says whether new clients should be sent here, and to operators why not.
func (h health) ready(c echo.Context) error {
	verbose := c.QueryParams().Has("verbose")
	if verbose {
		if err := h.require(c, access.Operate); err != nil {
			return err
		}
	}
	standings := h.standings()
	var failed []string
	for _, s := range standings {
		if !s.OK {
			failed = append(failed, s.Name+": "+s.Detail)
		}
	}
	if !verbose {
		standings = nil
	}
	if failed != nil {
		p := newProblem(http.StatusServiceUnavailable, "not ready: %s", strings.Join(failed, "; ")).after(retrySoon)
		p.Checks = standings
		return p
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	return c.JSON(http.StatusOK, struct {
		Status string     `json:"status"`
		Checks []Standing `json:"checks,omitempty"`
	}{"ready", standings})
}

func (h health) standings() []Standing {
	standings := []Standing{{Name: "serving", OK: true}}
	if h.retiring() {
		standings[0] = Standing{Name: "serving", Detail: "draining"}
	}
	for _, check := range h.checks() {
		s := Standing{Name: check.Name, OK: true}
		if err := check.Probe(); err != nil {
			s.OK, s.Detail = false, err.Error()
		}
		if check.Notes != nil {
			s.Notes = check.Notes()
		}
		standings = append(standings, s)
	}
	return standings
}
