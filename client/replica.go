package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Liveness says that a replica runs.
type Liveness struct {
	Status string `json:"status"` // alive
}

// Readiness says that a replica can serve.
type Readiness struct {
	Status string           `json:"status"` // ready
	Checks []ReadinessCheck `json:"checks,omitempty"`
}

// ReadinessCheck is one condition of that.
type ReadinessCheck struct {
	Name   string   `json:"name"`
	OK     bool     `json:"ok"`
	Detail string   `json:"detail,omitempty"`
	Notes  []string `json:"notes,omitempty"`
}

// DeadLetter is what came over the bus or from nodes and could not be used.
type DeadLetter struct {
	Seq     uint64    `json:"seq"`
	At      time.Time `json:"at"`
	Subject string    `json:"subject"`
	Reason  string    `json:"reason"`
	Detail  string    `json:"detail"`
	Bytes   int       `json:"bytes"`
	Body    []byte    `json:"body"` // its beginning
}

// Live looks whether a replica runs.
func (c *Client) Live(ctx context.Context, options ...CallOption) (*Liveness, error) {
	return got[Liveness](ctx, c, request{method: http.MethodGet, path: []string{"livez"}}, options)
}

// Ready looks whether a replica can serve, with each condition; if it can't, the *Problem has those that do not hold.
func (c *Client) Ready(ctx context.Context, options ...CallOption) (*Readiness, error) {
	return got[Readiness](ctx, c, request{method: http.MethodGet, path: []string{"readyz"}, query: url.Values{"verbose": {""}}}, options)
}

// ListDead lists dead letters, the newest first.
func (c *Client) ListDead(ctx context.Context, p Page, options ...CallOption) (*List[DeadLetter], error) {
	return got[List[DeadLetter]](ctx, c, request{method: http.MethodGet, path: []string{"dead"}, query: p.in(nil)}, options)
}
