package httpapi

import (
	"time"

	"github.com/labstack/echo/v4"
)

// age is how long ago the views of workflows, planners and bookings were last known to be current; 0: they are.
func (p *Parts) age() time.Duration { return max(p.Workflows.Age(), p.Planners.Age(), p.Plan.Age()) }

// tellAge sets the Age header (RFC 9111, section 5.1) of an answer made of these views: seconds. While they are
// current, there is none.
func (p *Parts) tellAge(c echo.Context) { setAge(c, p.age()) }

func setAge(c echo.Context, age time.Duration) {
	if age > 0 {
		c.Response().Header().Set("Age", seconds(age))
	}
}
