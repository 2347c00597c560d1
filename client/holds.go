package client

import (
	"context"
	"net/http"
	"time"
)

// HoldRequest is what shall be taken for a short while.
type HoldRequest struct {
	CheckRequest
	TTLS  float64 `json:"ttl_s"` // 1 to 900
	WaitS float64 `json:"wait_s,omitempty"`
}

// ConfirmRequest is what matters of a schedule that is made of a hold.
type ConfirmRequest struct {
	Labels      map[string]string `json:"labels,omitempty"`
	CatchUpS    *float64          `json:"catch_up_s,omitempty"`
	Preemptible bool              `json:"preemptible,omitempty"`
}

// Hold is what was taken for a short while.
type Hold struct {
	ID         string          `json:"id"`
	WorkflowID string          `json:"workflow_id"`
	Start      time.Time       `json:"start"`
	End        time.Time       `json:"end"`
	ExpiresAt  time.Time       `json:"expires_at"`
	State      string          `json:"state"`       // held, confirmed
	ScheduleID string          `json:"schedule_id"` // that was made of it; empty: none
	Bookings   []TakenInstance `json:"bookings"`
}

// HoldWorkflow takes what a workflow needs for a short while. It is refused as BookSchedule is.
func (c *Client) HoldWorkflow(ctx context.Context, workflowID string, wish HoldRequest, options ...CallOption) (*Hold, error) {
	return got[Hold](ctx, c, request{method: http.MethodPost, path: []string{"oc", workflowID, "holds"}, body: wish}, options)
}

// GetHold shows a hold.
func (c *Client) GetHold(ctx context.Context, holdID string, options ...CallOption) (*Hold, error) {
	return got[Hold](ctx, c, request{method: http.MethodGet, path: []string{"holds", holdID}}, options)
}

// ReleaseHold gives a hold up.
func (c *Client) ReleaseHold(ctx context.Context, holdID string, options ...CallOption) error {
	return c.done(ctx, request{method: http.MethodDelete, path: []string{"holds", holdID}}, options)
}

// ConfirmHold makes a schedule of a hold.
func (c *Client) ConfirmHold(ctx context.Context, holdID string, as ConfirmRequest, options ...CallOption) (*Schedule, error) {
	return got[Schedule](ctx, c, request{method: http.MethodPost, path: []string{"holds", holdID, "confirm"}, body: as}, options)
}
