package ui

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store"
	"oc-scheduler/streams/orchestrator"
)

// nodes lists all that ever asked to take part.
func (s *Site) nodes(c echo.Context, p *Parts) (View, error) {
	var all []store.NodeRecord
	for _, n := range p.Nodes.All() {
		all = append(all, n)
	}
	slices.SortFunc(all, byNodeID)
	return View{Template: "nodes.html", Title: "Nodes", Follow: follow(TheNodes), Body: all}, nil
}

// node shows one, with the decisions that can be made about it.
func (s *Site) node(c echo.Context, p *Parts) (View, error) {
	nodeID, err := pathID(c)
	if err != nil {
		return View{}, err
	}
	entry, ok := p.Nodes.Get(nodeID)
	if !ok {
		return View{}, orchestrator.ErrUnknownNode
	}
	return View{Template: "node.html", Title: visible(nodeID), Follow: follow(Of(TheNodes, nodeID)), Body: &entry.Value}, nil
}

func (s *Site) approve(c echo.Context, p *Parts) error { return decided(c, p.Members.Approve) }

func (s *Site) reject(c echo.Context, p *Parts) error { return decided(c, p.Members.Reject) }

// decided carries out what an operator decided about a node, and shows it again.
func decided(c echo.Context, by func(context.Context, string) (store.NodeRecord, error)) error {
	nodeID, err := pathID(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	if _, err := by(ctx, nodeID); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, address("nodes", nodeID))
}

func byNodeID(a, b store.NodeRecord) int { return cmp.Compare(a.NodeID, b.NodeID) }

func connected(n store.NodeRecord) bool { return n.State == store.NodeConnected }
