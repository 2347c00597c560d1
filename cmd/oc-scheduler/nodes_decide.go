package main

import (
	"context"
	"fmt"

	"oc-scheduler/client"
)

// nodeDecision is what an operator decides about a node.
type nodeDecision struct {
	serverFlags
	Node string `arg:"" type:"ident" help:"The node."`
}

// deciding is the request that makes a decision.
type deciding func(*client.Client, context.Context, string, ...client.CallOption) (*client.Node, error)

func (c *nodeDecision) decide(ctx context.Context, con *console, decision deciding) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	var was client.Answer
	if _, err := decision(replica.Client, ctx, c.Node, client.Into(&was)); err != nil {
		return about(err, "node", c.Node)
	}
	return printDoc(c.printer(con), was.Body, func(n *nodeDoc, w *paper) error {
		takesOver := ""
		if n.Successor != nil {
			takesOver = "; the program with ledger " + n.Successor.Ledger + " takes over when it asks again"
		}
		_, err := fmt.Fprintf(w, "node %s is %s%s\n", printable(n.NodeID), printable(n.Membership), printable(takesOver))
		return err
	})
}

type nodesApproveCmd struct{ nodeDecision }

// Run approves a node.
func (c *nodesApproveCmd) Run(ctx context.Context, con *console) error {
	return c.decide(ctx, con, (*client.Client).ApproveNode)
}

type nodesRejectCmd struct{ nodeDecision }

// Run rejects a node.
func (c *nodesRejectCmd) Run(ctx context.Context, con *console) error {
	return c.decide(ctx, con, (*client.Client).RejectNode)
}

type nodesRemoveCmd struct {
	serverFlags
	Node string `arg:"" type:"ident" help:"The node."`
}

// Run removes a node.
func (c *nodesRemoveCmd) Run(ctx context.Context, con *console) error {
	replica, err := c.replica(con)
	if err != nil {
		return err
	}
	if err := replica.RemoveNode(ctx, c.Node); err != nil {
		return about(err, "node", c.Node)
	}
	return c.printer(con).done(c.Node, "forgotten", "node "+c.Node+" is forgotten")
}
