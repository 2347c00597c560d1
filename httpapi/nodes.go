package httpapi

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store"
	"oc-scheduler/store/id"
	"oc-scheduler/store/kv"
)

// NodeMembers decides which nodes take part.
type NodeMembers interface {
	// Approve returns orchestrator.ErrUnknownNode or kv.ErrUnavailable.
	Approve(ctx context.Context, nodeID string) (store.NodeRecord, error)
	// Reject returns what Approve does.
	Reject(ctx context.Context, nodeID string) (store.NodeRecord, error)
	// Remove returns what Approve does.
	Remove(ctx context.Context, nodeID string) error
}

// listNodes shows all that ever asked to take part, by id.
func (s *Server) listNodes(c echo.Context) error {
	parts, err := s.loaded()
	if err != nil {
		return err
	}
	return listing[store.NodeRecord, nodeShown]{
		view:  func(p *Parts) *kv.View[store.NodeRecord] { return p.Nodes },
		show:  func(item kv.Item[store.NodeRecord]) nodeShown { return parts.node(subjectOf(c), item.Value) },
		bytes: func(n nodeShown) int { return len(n.Info) },
	}.answer(s)(c)
}

func (s *Server) getNode(c echo.Context) error {
	parts, nodeID, err := s.addressed(c)
	if err != nil {
		return err
	}
	n, err := s.node(c, parts, nodeID)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-cache")
	doc := parts.node(subjectOf(c), n)
	doc.Offer.complete()
	if doc.Offer != nil {
		doc.Offer.Schedule = parts.nameless(subjectOf(c), doc.Offer.Schedule)
	}
	return c.JSON(http.StatusOK, doc)
}

// StoredNodes reads nodes as they are stored.
type StoredNodes interface {
	// Get returns kv.ErrNotFound, kv.ErrUndecodable or kv.ErrUnavailable.
	Get(ctx context.Context, nodeID string) (store.NodeRecord, error)
}

// node is a node as this replica knows it, or else as it is stored. The error is a *Problem.
func (s *Server) node(c echo.Context, parts *Parts, nodeID string) (store.NodeRecord, error) {
	entry, known := parts.Nodes.Get(nodeID)
	if known {
		setAge(c, parts.Nodes.Age())
		return entry.Value, nil
	}
	if _, broken := parts.Nodes.Broken()[id.Key(nodeID)]; broken {
		return entry.Value, missing("node", nodeID, store.NodesBucket)
	}
	if err := checkRead(parts.Nodes); err != nil {
		return entry.Value, err
	}
	n, err := lookup(c.Request().Context(), s.lookups, store.NodesBucket, nodeID, parts.StoredNodes.Get)
	switch {
	case errors.Is(err, kv.ErrNotFound):
		setAge(c, parts.Nodes.Age())
		return n, errNoNode
	case err != nil:
		return n, missing("node", nodeID, store.NodesBucket)
	}
	return n, nil
}

func (s *Server) approveNode(c echo.Context) error {
	return s.decideOn(c, func(m NodeMembers) decision { return m.Approve })
}

func (s *Server) rejectNode(c echo.Context) error {
	return s.decideOn(c, func(m NodeMembers) decision { return m.Reject })
}

type decision func(ctx context.Context, nodeID string) (store.NodeRecord, error)

// decideOn answers with the node after what an operator decided about it.
func (s *Server) decideOn(c echo.Context, by func(NodeMembers) decision) error {
	parts, nodeID, err := s.addressed(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	now, err := by(parts.Members)(ctx, nodeID)
	if err != nil {
		return ofWrite(err)
	}
	shown(ctx, parts.Nodes, nodeID, func(uint64) bool {
		entry, ok := parts.Nodes.Get(nodeID)
		return ok && entry.Value.Membership == now.Membership
	})
	return c.JSON(http.StatusOK, parts.node(subjectOf(c), now))
}

// deleteNode forgets a node. One that still runs introduces itself again.
func (s *Server) deleteNode(c echo.Context) error {
	parts, nodeID, err := s.addressed(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	before, _ := parts.Nodes.Get(nodeID)
	if err := parts.Members.Remove(ctx, nodeID); err != nil {
		return ofWrite(err)
	}
	shown(ctx, parts.Nodes, nodeID, func(now uint64) bool { return now != before.Revision || now == 0 })
	return c.NoContent(http.StatusNoContent)
}
