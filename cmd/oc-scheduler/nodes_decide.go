package main

import (
	"context"
	"fmt"
)

// nodeDecision is what an operator decides about a node.
type nodeDecision struct {
	serverFlags
	Node string `arg:"" type:"ident" help:"The node."`
}

func (c *nodeDecision) decide(ctx context.Context, con *console, decision string) error {
	client, err := c.client(con)
	if err != nil {
		return err
	}
	body, err := client.post(ctx, client.url(nil, "nodes", c.Node, decision), nil)
	if err != nil {
		return about(err, "node", c.Node)
	}
	return printDoc(c.printer(con), body, func(n *nodeDoc, w *paper) error {
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
	return c.decide(ctx, con, "approve")
}

type nodesRejectCmd struct{ nodeDecision }

// Run rejects a node.
func (c *nodesRejectCmd) Run(ctx context.Context, con *console) error {
	return c.decide(ctx, con, "reject")
}

type nodesRemoveCmd struct {
	serverFlags
	Node string `arg:"" type:"ident" help:"The node."`
}

// Run removes a node.
func (c *nodesRemoveCmd) Run(ctx context.Context, con *console) error {
	client, err := c.client(con)
	if err != nil {
		return err
	}
	if err := client.del(ctx, client.url(nil, "nodes", c.Node)); err != nil {
		return about(err, "node", c.Node)
	}
	return c.printer(con).done(c.Node, "forgotten", "node "+c.Node+" is forgotten")
}
