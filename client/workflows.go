package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
)

// Workflow is a graph of steps and of what they need. It may have other members than these, which are kept by replicas,
// and here only by Into and Body.
type Workflow struct {
	ID     string   `json:"id"`
	Name   string   `json:"name,omitempty"`
	Graph  Graph    `json:"graph"`
	Groups []string `json:"groups,omitempty"` // to which it belongs
}

// Graph has the items of a workflow by their ids, and how they are linked.
type Graph struct {
	Items map[string]WorkflowItem `json:"items,omitempty"`
	Links []Link                  `json:"links,omitempty"`
}

// Link leads from one item to another.
type Link struct {
	Source      string `json:"source"`
	Destination string `json:"destination"`
}

// WorkflowItem is a part of a workflow: one of these.
type WorkflowItem struct {
	Processing *Processing     `json:"processing,omitempty"`
	Compute    *WorkflowNeed   `json:"compute,omitempty"`
	Storage    *WorkflowNeed   `json:"storage,omitempty"`
	Data       json.RawMessage `json:"data,omitempty"`
	Workflow   json.RawMessage `json:"workflow,omitempty"`
}

// Processing is a step.
type Processing struct {
	ID        string            `json:"id,omitempty"`
	DurationS float64           `json:"duration_s,omitempty"`
	Command   []string          `json:"command,omitempty"`
	Env       map[string]string `json:"env,omitempty"`
	Retries   int               `json:"retries,omitempty"`
}

// WorkflowNeed is what an item takes of a peer's resource.
type WorkflowNeed struct {
	ID        string  `json:"id"` // the resource
	PeerID    string  `json:"peer_id,omitempty"`
	CreatorID string  `json:"creator_id,omitempty"` // stands in for the peer
	Demand    Amounts `json:"demand,omitempty"`
}

// ListWorkflows lists the workflows by their ids.
func (c *Client) ListWorkflows(ctx context.Context, p Page, options ...CallOption) (*List[Workflow], error) {
	return got[List[Workflow]](ctx, c, request{method: http.MethodGet, path: []string{"oc"}, query: p.in(nil)}, options)
}

// GetWorkflow shows a workflow.
func (c *Client) GetWorkflow(ctx context.Context, workflowID string, options ...CallOption) (*Workflow, error) {
	return got[Workflow](ctx, c, request{method: http.MethodGet, path: []string{"oc", workflowID}}, options)
}

// PutWorkflow makes a workflow, or another one of it that is there, as Answer.Created tells. Without groups it
// belongs to those of who asks, or to those that it had.
func (c *Client) PutWorkflow(ctx context.Context, workflowID string, w Workflow, groups []string, options ...CallOption) (*Workflow, error) {
	r := request{method: http.MethodPut, path: []string{"oc", workflowID}, query: url.Values{"group": groups}, body: w}
	return got[Workflow](ctx, c, r, options)
}

// DeleteWorkflow removes a workflow; its schedules end.
func (c *Client) DeleteWorkflow(ctx context.Context, workflowID string, options ...CallOption) error {
	return c.done(ctx, request{method: http.MethodDelete, path: []string{"oc", workflowID}}, options)
}
