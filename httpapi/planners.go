package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store/kv"
	"oc-scheduler/store/planners"
)

// plannerSummary is a planner in the list.
type plannerSummary struct {
	PeerID      string    `json:"peer_id"`
	GeneratedAt time.Time `json:"generated_at"`
	ExpiresAt   time.Time `json:"expires_at"`
	Resources   int       `json:"resources"`
	Slots       int       `json:"slots"`
}

func summarize(item kv.Item[planners.Record]) plannerSummary {
	p := item.Value
	resources, slots := p.Counts()
	return plannerSummary{item.ID, p.GeneratedAt().UTC(), p.ExpiresAt.UTC(), resources, slots}
}

// plannerList shows what is cached, by peer.
var plannerList = listing[planners.Record, plannerSummary]{
	view: func(p *Parts) *kv.View[planners.Record] { return p.Planners },
	show: summarize,
}

// getPlanner answers with the stored value itself, as far as it is for who asks. The views keep only what decisions need, so it is
// read from NATS.
func (s *Server) getPlanner(c echo.Context) error {
	parts, peerID, err := s.addressed(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	value, _, err := parts.Stored.Raw(ctx, peerID)
	switch {
	case errors.Is(err, kv.ErrNotFound):
		return newProblem(http.StatusNotFound, "no planner of this peer is stored")
	case errors.Is(err, kv.ErrUndecodable):
		return newProblem(http.StatusNotFound, "no planner of this peer is stored: the value in its place is broken; see /readyz?verbose")
	}
	if err != nil {
		return err
	}
	if who := subjectOf(c); !who.Everywhere() {
		value = parts.nameless(who, planners.WithoutSeq(value))
	}
	if done, err := tagged(c, contentTag(value)); done || err != nil {
		return err
	}
	return c.JSONBlob(http.StatusOK, value)
}
