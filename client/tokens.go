package client

import (
	"context"
	"net/http"
	"time"
)

// TokenDraft is what a token is to be.
type TokenDraft struct {
	Name   string   `json:"name"`
	Role   string   `json:"role"` // viewer, user, operator, admin
	Groups []string `json:"groups,omitempty"`
	TTLS   int64    `json:"ttl_s,omitempty"` // 0: it has no end
}

// Token says who may do what.
type Token struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Role      string    `json:"role"`
	Groups    []string  `json:"groups"`
	CreatedAt time.Time `json:"created_at"`
	CreatedBy string    `json:"created_by"`
	ExpiresAt time.Time `json:"expires_at,omitzero"` // zero: never
}

// NewToken is a token that was just made, and what its bearer shows: that is told once.
type NewToken struct {
	Token
	Bearer string `json:"token"`
}

// Whoami is whom a replica takes the caller for.
type Whoami struct {
	Subject   string    `json:"subject"`
	Name      string    `json:"name"`
	Role      string    `json:"role"`
	Groups    []string  `json:"groups"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

// ListTokens lists the tokens that live.
func (c *Client) ListTokens(ctx context.Context, p Page, options ...CallOption) (*List[Token], error) {
	return got[List[Token]](ctx, c, request{method: http.MethodGet, path: []string{"tokens"}, query: p.in(nil)}, options)
}

// CreateToken makes a token. When it is InDoubt, there may be one that nobody knows: ListTokens shows it.
func (c *Client) CreateToken(ctx context.Context, draft TokenDraft, options ...CallOption) (*NewToken, error) {
	return got[NewToken](ctx, c, request{method: http.MethodPost, path: []string{"tokens"}, body: draft, once: true}, options)
}

// RevokeToken has a token refused everywhere within a second; its streams end.
func (c *Client) RevokeToken(ctx context.Context, tokenID string, options ...CallOption) error {
	return c.done(ctx, request{method: http.MethodDelete, path: []string{"tokens", tokenID}}, options)
}

// Whoami tells whom the replica takes us for.
func (c *Client) Whoami(ctx context.Context, options ...CallOption) (*Whoami, error) {
	return got[Whoami](ctx, c, request{method: http.MethodGet, path: []string{"whoami"}}, options)
}
