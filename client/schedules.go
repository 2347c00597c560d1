package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// ScheduleRequest is what shall be booked, once or again and again.
type ScheduleRequest struct {
	CheckRequest
	Cron         string            `json:"cron,omitempty"`
	TimeZone     string            `json:"time_zone,omitempty"`
	Until        time.Time         `json:"until,omitzero"`
	Count        *int              `json:"count,omitempty"`
	Gap          string            `json:"gap,omitempty"`       // a local time that is none: shift, skip
	Ambiguity    string            `json:"ambiguity,omitempty"` // one that is twice: first, last, both
	Overlap      string            `json:"overlap,omitempty"`   // one that begins before the last ends: skip, allow
	AllOrNothing bool              `json:"all_or_nothing,omitempty"`
	CatchUpS     *float64          `json:"catch_up_s,omitempty"` // how late a run may start; nil: 300
	Preemptible  bool              `json:"preemptible,omitempty"`
	Labels       map[string]string `json:"labels,omitempty"`
	WaitS        float64           `json:"wait_s,omitempty"` // for planners that are missing
}

// Schedule is what was booked.
type Schedule struct {
	ID          string            `json:"id"`
	WorkflowID  string            `json:"workflow_id"`
	State       string            `json:"state"` // active, paused, ended, cancelled
	Reason      string            `json:"reason"`
	AtRisk      bool              `json:"at_risk"` // a planner has too little for what is booked
	Request     json.RawMessage   `json:"request"`
	CreatedAt   time.Time         `json:"created_at"`
	CreatedBy   string            `json:"created_by"`
	Labels      map[string]string `json:"labels"`
	Occurrences []Occurrence      `json:"occurrences,omitempty"` // not in lists
}

// Final says whether nothing comes of it any more.
func (s *Schedule) Final() bool { return s.State == "ended" || s.State == "cancelled" }

// Occurrence is one time of a schedule.
type Occurrence struct {
	Nominal  time.Time       `json:"nominal"` // names it
	Start    time.Time       `json:"start"`
	End      time.Time       `json:"end"`
	State    string          `json:"state"`
	RunID    string          `json:"run_id"` // empty: there is none yet
	AtRisk   bool            `json:"at_risk"`
	Bookings []TakenInstance `json:"bookings"`
}

// TakenInstance is what is booked of one instance.
type TakenInstance struct {
	ID         string          `json:"id"`
	ItemID     string          `json:"item_id"`
	PeerID     string          `json:"peer_id"`
	ResourceID string          `json:"resource_id"`
	InstanceID string          `json:"instance_id"`
	Start      time.Time       `json:"start"`
	End        time.Time       `json:"end"`
	Usage      json.RawMessage `json:"usage,omitempty"`
}

// ScheduleFilter says which schedules are listed; the zero value: all.
type ScheduleFilter struct {
	Workflow string
	State    string
	Labels   map[string]string // all of them
}

func (f ScheduleFilter) query() url.Values {
	query := given("workflow", f.Workflow, "state", f.State)
	for name, value := range f.Labels {
		query.Add("label", name+":"+value)
	}
	return query
}

// Coming is a time at which a schedule comes.
type Coming struct {
	Nominal time.Time `json:"nominal"`
	Start   time.Time `json:"start"`
	End     time.Time `json:"end"`
	State   string    `json:"state,omitempty"`
}

// NextList is the times that come next.
type NextList struct {
	Items []Coming `json:"items"`
}

// Previewed is a time that would be booked, and what a check says of it.
type Previewed struct {
	Nominal time.Time   `json:"nominal"`
	Start   time.Time   `json:"start"`
	End     time.Time   `json:"end"`
	Result  CheckResult `json:"result"`
}

// PreviewList is the times that would be booked.
type PreviewList struct {
	Items []Previewed `json:"items"`
}

// BookSchedule books. What stands against it is a *Problem with a Result, or MissingPlanners.
func (c *Client) BookSchedule(ctx context.Context, workflowID string, wish ScheduleRequest, options ...CallOption) (*Schedule, error) {
	return got[Schedule](ctx, c, request{method: http.MethodPost, path: []string{"oc", workflowID, "schedules"}, body: wish}, options)
}

// PreviewSchedule tells the first n times that BookSchedule would book.
func (c *Client) PreviewSchedule(ctx context.Context, workflowID string, wish ScheduleRequest, n int, options ...CallOption) (*PreviewList, error) {
	r := request{method: http.MethodPost, path: []string{"oc", workflowID, "preview"}, query: many(n), body: wish}
	return got[PreviewList](ctx, c, r, options)
}

func many(n int) url.Values { return url.Values{"n": {strconv.Itoa(n)}} }

// ListSchedules lists the schedules, the oldest first.
func (c *Client) ListSchedules(ctx context.Context, f ScheduleFilter, p Page, options ...CallOption) (*List[Schedule], error) {
	return got[List[Schedule]](ctx, c, request{method: http.MethodGet, path: []string{"schedules"}, query: p.in(f.query())}, options)
}

// ListSchedulesOfWorkflow lists those of a workflow.
func (c *Client) ListSchedulesOfWorkflow(ctx context.Context, workflowID string, p Page, options ...CallOption) (*List[Schedule], error) {
	return got[List[Schedule]](ctx, c, request{method: http.MethodGet, path: []string{"oc", workflowID, "schedules"}, query: p.in(nil)}, options)
}

// GetSchedule shows a schedule with its occurrences.
func (c *Client) GetSchedule(ctx context.Context, scheduleID string, options ...CallOption) (*Schedule, error) {
	return got[Schedule](ctx, c, request{method: http.MethodGet, path: []string{"schedules", scheduleID}}, options)
}

// CancelSchedule frees what has not begun. Runs that are under way go on, or with runs "cancel" end, too.
func (c *Client) CancelSchedule(ctx context.Context, scheduleID, runs string, options ...CallOption) error {
	return c.done(ctx, request{method: http.MethodDelete, path: []string{"schedules", scheduleID}, query: given("runs", runs)}, options)
}

// NextOccurrences tells the next n times of a schedule.
func (c *Client) NextOccurrences(ctx context.Context, scheduleID string, n int, options ...CallOption) (*NextList, error) {
	return got[NextList](ctx, c, request{method: http.MethodGet, path: []string{"schedules", scheduleID, "next"}, query: many(n)}, options)
}

// FollowSchedule yields how a schedule stands, and then each change of it and its occurrences, until it is over.
func (c *Client) FollowSchedule(ctx context.Context, scheduleID string, options ...CallOption) iter.Seq2[Event[Schedule], error] {
	return follow[Schedule](ctx, c, request{path: []string{"schedules", scheduleID, "events"}}, options)
}

// PauseSchedule has nothing new booked and started.
func (c *Client) PauseSchedule(ctx context.Context, scheduleID string, options ...CallOption) (*Schedule, error) {
	return got[Schedule](ctx, c, request{method: http.MethodPost, path: []string{"schedules", scheduleID, "pause"}}, options)
}

// ResumeSchedule ends a pause; what fell due meanwhile is skipped.
func (c *Client) ResumeSchedule(ctx context.Context, scheduleID string, options ...CallOption) (*Schedule, error) {
	return got[Schedule](ctx, c, request{method: http.MethodPost, path: []string{"schedules", scheduleID, "resume"}}, options)
}
