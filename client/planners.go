package client

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Planner is what a peer has, by resource and instance, and what is booked of it.
type Planner struct {
	PeerID      string                        `json:"peer_id"`
	GeneratedAt time.Time                     `json:"generated_at,omitzero"`
	Capacities  map[string]map[string]Amounts `json:"capacities"`
	Schedule    map[string][]Slot             `json:"schedule,omitempty"` // by resource
	FirstSeenAt time.Time                     `json:"first_seen_at"`
	ReceivedAt  time.Time                     `json:"received_at"`
	ExpiresAt   time.Time                     `json:"expires_at"`
	SourceSeq   uint64                        `json:"source_seq"`
	Warnings    []string                      `json:"warnings,omitempty"`
}

// Slot is what a peer has booked.
type Slot struct {
	Start      time.Time `json:"start"`
	End        time.Time `json:"end"`
	InstanceID string    `json:"instance_id,omitempty"` // empty: each
	BookingID  string    `json:"booking_id,omitempty"`
	Usage      *Amounts  `json:"usage,omitempty"` // nil: all of it
}

// Amounts are numbers by dimension, flat or one level deep.
type Amounts map[string]json.RawMessage

// String lists the amounts by name, deeper ones as the contract names them: cpu_cores.x86_64=8.
func (a Amounts) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(a)) {
		var deeper map[string]json.RawMessage
		if json.Unmarshal(a[name], &deeper) != nil {
			parts = append(parts, fmt.Sprintf("%s=%s", name, a[name]))
			continue
		}
		for _, sub := range slices.Sorted(maps.Keys(deeper)) {
			parts = append(parts, fmt.Sprintf("%s.%s=%s", name, sub, deeper[sub]))
		}
	}
	return strings.Join(parts, " ")
}

// PlannerSummary is a planner in a list.
type PlannerSummary struct {
	PeerID      string    `json:"peer_id"`
	GeneratedAt time.Time `json:"generated_at"`
	ExpiresAt   time.Time `json:"expires_at"`
	Resources   int       `json:"resources"`
	Slots       int       `json:"slots"`
}

// ListPlanners lists the planners that a replica knows, by peer.
func (c *Client) ListPlanners(ctx context.Context, p Page, options ...CallOption) (*List[PlannerSummary], error) {
	return got[List[PlannerSummary]](ctx, c, request{method: http.MethodGet, path: []string{"planners"}, query: p.in(nil)}, options)
}

// GetPlanner shows the planner of a peer.
func (c *Client) GetPlanner(ctx context.Context, peerID string, options ...CallOption) (*Planner, error) {
	return got[Planner](ctx, c, request{method: http.MethodGet, path: []string{"planners", peerID}}, options)
}
