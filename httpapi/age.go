package httpapi

import (
	"time"

	"github.com/labstack/echo/v4"
)

// tellAge sets the Age header (RFC 9111, section 5.1) of an answer made of the views of workflows, planners
// and bookings: the seconds since they were last known to be current. While they are, there is none.
func (p *Parts) tellAge(c echo.Context) {
	setAge(c, max(p.Workflows.Age(), p.Planners.Age(), p.Plan.Age()))
}

func setAge(c echo.Context, age time.Duration) {
	if age > 0 {
		c.Response().Header().Set("Age", seconds(age))
	}
}
