package httpapi

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/plan"
	"oc-scheduler/store/run"
	"oc-scheduler/store/timetext"
)

// soughtRuns is which runs are listed: what is empty or zero leaves it open.
type soughtRuns struct {
	workflowID, scheduleID string
	state                  run.State
	from, to               time.Time // of the booked start, half-open
}

func (w soughtRuns) holds(r plan.ListedRun) bool {
	return (w.workflowID == "" || r.WorkflowID == w.workflowID) && (w.scheduleID == "" || r.ScheduleID == w.scheduleID) &&
		(w.state == "" || r.State == w.state) &&
		(w.from.IsZero() || !r.Start.Before(w.from)) && (w.to.IsZero() || r.Start.Before(w.to))
}

// listRuns lists those that ?workflow=, ?schedule=, ?state=, ?from= and ?to= name, without their steps.
func (s *Server) listRuns(c echo.Context) error {
	parts, err := s.loaded()
	if err != nil {
		return err
	}
	q := readQuery(c.Request(), "limit", "cursor", "workflow", "schedule", "state", "from", "to")
	w := soughtRuns{
		workflowID: q.get("workflow"), scheduleID: q.get("schedule"), state: run.State(q.get("state")),
		from: q.instant("from"), to: q.instant("to"),
	}
	switch w.state {
	case "", run.Scheduled, run.Starting, run.Running, run.Completed, run.Failed, run.Cancelled, run.Missed:
	default:
		q.fault("state", "must be the state of a run: %s, %s, %s, %s, %s, %s or %s",
			run.Scheduled, run.Starting, run.Running, run.Completed, run.Failed, run.Cancelled, run.Missed)
	}
	after, limit, err := q.paged()
	if err != nil {
		return err
	}
	view := parts.Plan.Runs()
	if err := checkRead(view); err != nil {
		return err
	}
	setAge(c, view.Age())
	c.Response().Header().Set(echo.HeaderCacheControl, "no-cache")
	who := subjectOf(c)
	holds := func(r plan.ListedRun) bool { return w.holds(r) && parts.Shows(who, r.WorkflowID) }
	shown := listing[plan.ListedRun, plan.ListedRun]{show: func(item kv.Item[plan.ListedRun]) plan.ListedRun { return item.Value }}
	return c.JSON(http.StatusOK, shown.turn(sifted(view, after, limit+1, holds), limit))
}

// instant is a time that a parameter gives; zero: it is not given.
func (q *query) instant(name string) time.Time {
	text := q.get(name)
	if text == "" {
		return time.Time{}
	}
	ns, err := timetext.Instant(text)
	if err != nil {
		q.fault(name, "%v", err)
	}
	return time.Unix(0, ns).UTC()
}
