package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/access"
	"oc-scheduler/store/kv"
	"oc-scheduler/store/tokens"
)

// tokenList shows the tokens that live, by id.
var tokenList = listing[*tokens.Record, tokens.Token]{
	view:  func(p *Parts) *kv.View[*tokens.Record] { return p.Tokens.View() },
	show:  func(item kv.Item[*tokens.Record]) tokens.Token { return item.Value.Token },
	sees:  func(_ *Parts, _ *access.Subject, r *tokens.Record) bool { return !r.Subject().Ended(time.Now()) },
	bytes: func(t tokens.Token) int { return len(t.Groups) * len(t.Name) },
}

// postToken makes a token. The answer alone shows it.
func (s *Server) postToken(c echo.Context) error {
	parts, err := s.loaded()
	if err != nil {
		return err
	}
	body, err := s.body(c)
	if err != nil {
		return err
	}
	draft, err := decodeDraft(body)
	if err != nil {
		return err
	}
	draft.By = subjectOf(c).ID
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	made, credential, err := parts.Tokens.Create(ctx, draft, time.Now())
	if err != nil {
		return ofWrite(err)
	}
	shown(ctx, parts.Tokens.View(), made.ID, func(revision uint64) bool { return revision > 0 })
	h := c.Response().Header()
	h.Set(echo.HeaderCacheControl, "no-store")
	h.Set(echo.HeaderLocation, "/tokens/"+url.PathEscape(made.ID))
	return c.JSON(http.StatusCreated, struct {
		tokens.Token
		Secret string `json:"token"`
	}{made, credential.Reveal()})
}

// deleteToken revokes a token.
func (s *Server) deleteToken(c echo.Context) error {
	parts, tokenID, err := s.addressed(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	err = parts.Tokens.Revoke(ctx, tokenID)
	if errors.Is(err, kv.ErrNotFound) {
		return newProblem(http.StatusNotFound, "no such token")
	}
	if err != nil {
		return ofWrite(err)
	}
	shown(ctx, parts.Tokens.View(), tokenID, func(now uint64) bool { return now == 0 })
	return c.NoContent(http.StatusNoContent)
}

// getWhoami tells who asks what is known of him.
func getWhoami(c echo.Context) error {
	who := subjectOf(c)
	doc := struct {
		Subject   string      `json:"subject"`
		Name      string      `json:"name"`
		Role      access.Role `json:"role"`
		Groups    []string    `json:"groups"`
		ExpiresAt *time.Time  `json:"expires_at"`
	}{Subject: who.ID, Name: who.Name, Role: who.Role, Groups: append([]string{}, who.Groups...)}
	if !who.End.IsZero() {
		doc.ExpiresAt = &who.End
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	return c.JSON(http.StatusOK, doc)
}
