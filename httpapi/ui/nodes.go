package ui

import (
	"cmp"
	"context"
	"slices"

	"github.com/labstack/echo/v4"

	"oc-scheduler/store"
	"oc-scheduler/store/access"
	"oc-scheduler/store/execution"
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
	n, err := nodeOf(c, p)
	who := s.Subject(c)
	v := nodePage{NodeRecord: n, MayDecide: access.Decide(who, access.Operate) == access.Allowed}
	for _, e := range p.Executions.All() {
		if e.NodeID == n.NodeID && p.SeesExecution(who, e) {
			v.Executions = append(v.Executions, e)
		}
	}
	v.Executions, v.More = first(v.Executions, mostStanding, func(a, b execution.Execution) int {
		return cmp.Or(b.OrderedAt.Compare(a.OrderedAt), cmp.Compare(a.ExecutionID, b.ExecutionID))
	})
	return View{Template: "node.html", Title: visible(n.NodeID), Body: &v, Follow: &Follow{
		Changes: []string{Of(TheNodes, n.NodeID)}, Every: nowAndThen,
	}}, err
}

// nodePage is a node with what it was ordered to do.
type nodePage struct {
	store.NodeRecord
	Executions []execution.Execution // the newest
	More       int                   // that are not shown
	MayDecide  bool                  // approve and reject it
}

// askReject asks whether a node shall really be rejected.
func (s *Site) askReject(c echo.Context, p *Parts) (View, error) {
	n, err := nodeOf(c, p)
	page := address("nodes", n.NodeID)
	return View{Template: "sure.html", Title: "Reject node " + visible(n.NodeID), Body: sure{
		Title: "Reject this node?", Of: n.NodeID, Back: page, Action: page + "/reject", Button: "Reject the node",
		Words: "Its connection ends, it gets no orders any more, and what its peer offers is without it. What it executes is lost to its runs, which fail unless it comes back in time. It can be approved again.",
	}}, err
}

// nodeOf is the node in the address. It fails with orchestrator.ErrUnknownNode.
func nodeOf(c echo.Context, p *Parts) (store.NodeRecord, error) {
	nodeID, err := pathID(c)
	if err != nil {
		return store.NodeRecord{}, err
	}
	entry, ok := p.Nodes.Get(nodeID)
	if !ok {
		return entry.Value, orchestrator.ErrUnknownNode
	}
	return entry.Value, nil
}

func (s *Site) approve(c echo.Context, p *Parts, _ form) (string, error) {
	return decided(c, p.Members.Approve)
}

func (s *Site) reject(c echo.Context, p *Parts, _ form) (string, error) {
	return decided(c, p.Members.Reject)
}

// decided carries out what an operator decided about a node, and shows it again.
func decided(c echo.Context, by func(context.Context, string) (store.NodeRecord, error)) (string, error) {
	nodeID, err := pathID(c)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), natsWithin)
	defer cancel()
	_, err = by(ctx, nodeID)
	return address("nodes", nodeID), err
}

func byNodeID(a, b store.NodeRecord) int { return cmp.Compare(a.NodeID, b.NodeID) }

func connected(n store.NodeRecord) bool { return n.State == store.NodeConnected }
