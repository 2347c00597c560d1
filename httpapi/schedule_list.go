package httpapi

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/schedule"
)

// sought is which schedules are listed.
type sought struct {
	workflowID string // empty: of any
	state      schedule.State
	labels     map[string]string // all must hold
}

func (w sought) holds(s plan.Listed) bool {
	for name, value := range w.labels {
		if have, ok := s.Labels[name]; !ok || have != value {
			return false
		}
	}
	return (w.workflowID == "" || s.WorkflowID == w.workflowID) && (w.state == "" || s.State == w.state)
}

func (s *Server) listSchedulesOf(c echo.Context) error {
	parts, workflowID, err := s.addressed(c)
	if err != nil {
		return err
	}
	if _, err := s.workflow(c, parts, workflowID); err != nil {
		return err
	}
	return s.listSought(c, parts, sought{workflowID: workflowID}, readQuery(c.Request(), "limit", "cursor"))
}

// listSchedules lists those that ?workflow=, ?state= and ?label=name:value name; labels repeat.
func (s *Server) listSchedules(c echo.Context) error {
	parts, err := s.loaded()
	if err != nil {
		return err
	}
	q := readQuery(c.Request(), "limit", "cursor", "workflow", "state", "label")
	w := sought{workflowID: q.get("workflow"), state: schedule.State(q.get("state")), labels: map[string]string{}}
	switch w.state {
	case "", schedule.Active, schedule.Paused, schedule.Ended, schedule.Cancelled:
	default:
		q.fault("state", "must be %s, %s, %s or %s", schedule.Active, schedule.Paused, schedule.Ended, schedule.Cancelled)
	}
	for _, label := range q.values["label"] {
		name, value, ok := strings.Cut(label, ":")
		if !ok || name == "" {
			q.fault("label", "must be name:value")
		}
		w.labels[name] = value
	}
	return s.listSought(c, parts, w, q)
}

// listSought answers with a page of the view.
func (s *Server) listSought(c echo.Context, parts *Parts, w sought, q *query) error {
	after, limit, err := q.paged()
	if err != nil {
		return err
	}
	view := parts.Bookings.Schedules()
	if err := checkRead(view); err != nil {
		return err
	}
	setAge(c, view.Age())
	c.Response().Header().Set(echo.HeaderCacheControl, "no-cache")
	who := subjectOf(c)
	holds := func(l plan.Listed) bool { return w.holds(l) && parts.Shows(who, l.WorkflowID) }
	shown := listing[plan.Listed, plan.Listed]{show: func(item kv.Item[plan.Listed]) plan.Listed { return parts.Risks.Tell(item.Value) }}
	return c.JSON(http.StatusOK, shown.turn(sifted(view, after, limit+1, holds), limit))
}
