package ui

import (
	"cmp"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/fault"
	"oc-scheduler/store/id"
)

// bookingsPage is what is held, booked and run of all workflows, or of one.
type bookingsPage struct {
	Workflow string // empty: all
	Standing overview
}

// bookings lists what somebody sees of what stands, of all workflows or of ?workflow=.
func (s *Site) bookings(c echo.Context, p *Parts) (View, error) {
	v, who := bookingsPage{Workflow: c.QueryParam("workflow")}, s.Subject(c)
	if v.Workflow != "" && id.Check(v.Workflow) != nil {
		return View{}, fault.List{{Path: "workflow", Message: "must be the id of a workflow"}}
	}
	shows := map[string]bool{} // many are of one workflow
	v.Standing = p.standing(perPage, s.Now(), func(workflowID string) bool {
		if workflowID != cmp.Or(v.Workflow, workflowID) {
			return false
		}
		is, known := shows[workflowID]
		if !known {
			is = p.Shows(who, workflowID)
			shows[workflowID] = is
		}
		return is
	})
	return View{Template: "bookings.html", Title: "Bookings", Age: p.Age(), Body: v, Follow: &Follow{
		Changes: []string{TheHolds, TheSchedules, TheRuns}, Every: nowAndThen,
	}}, nil
}
